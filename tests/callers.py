"""What callers ask of the house: commands, each under a request id of its own unless one is given.

``done`` has them carried out and gives the answers, ``refused`` gives the refusal of one that must be refused.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import count
from typing import Any

from zhangfang.application import Answer, CountingHouse
from zhangfang.domain.commands import (
    CloseTable,
    Command,
    Deposit,
    FinishHand,
    MakeChoice,
    OpenHand,
    OpenTable,
    RegisterPlayer,
    Request,
    ReverseHand,
    SettleHand,
    VoidHand,
    Withdraw,
)
from zhangfang.errors import Refusal
from zhangfang.rules.games import GAMES
from zhangfang.rules.games.bi_ji.record import BiJiHand, Layout
from zhangfang.rules.games.jiu_dian_ban.record import Bet, BetChoice, Deal, Door, Ending, JiuDianBanHand
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules

_numbers = count(1)

LAYOUTS = (
    "2s 5h Ac | 6s 6h 9d | Ts Th 3d",
    "2h 5c Kd | 7s 7h 9c | Js Jh 3c",
    "2c 5d Qh | 8s 8h 9h | Qs Qd 3h",
)
"""Of these 比機 layouts the first wins pot 1, and each later one pots 2 and 3 against those before it."""

LOSING_DOOR = Deal("8s Td", "2s 3s", "9h w", "As Ad", "")
"""九點半 cards with which a bet on ``shang`` is lost to the banker and one on ``tian`` is won."""


def request(body: object, request_id: str = "", actor: str = "operator") -> Request:
    """Who asks: ``body`` is what the request's fingerprint is taken of."""
    return Request(request_id or f"request-{next(_numbers)}", sha256(repr(body).encode()).digest()[:16], actor)


def other_body(command: Command) -> Command:
    """The same command under the same id, as if something else had been asked with it."""
    return replace(command, request=command.request._replace(fingerprint=b"something else 16"))


def register(player_id: str, request_id: str = "") -> RegisterPlayer:
    return RegisterPlayer(request=request(("register", player_id), request_id), player_id=player_id)


def deposit(player_id: str, amount: int, request_id: str = "") -> Deposit:
    asked = request(("deposit", player_id, amount), request_id)
    return Deposit(request=asked, player_id=player_id, amount=amount, note="银子")


def withdraw(player_id: str, amount: int, request_id: str = "") -> Withdraw:
    asked = request(("withdraw", player_id, amount), request_id)
    return Withdraw(request=asked, player_id=player_id, amount=amount)


def open_table(
    table_id: str,
    game: str = "bi_ji",
    stake: int = 10,
    *,
    stake_mode: StakeMode = StakeMode.FIXED,
    house_rules: Any = None,
    **money_rules: Any,
) -> OpenTable:
    return OpenTable(
        request=request(("open_table", table_id, game, stake)),
        table_id=table_id,
        game=game,
        house_rules=house_rules or GAMES[game].house_rules(),
        stake_mode=stake_mode,
        stake=0 if stake_mode is StakeMode.BY_WEALTH else stake,
        money_rules=MoneyRules(**money_rules),
    )


def close_table(table_id: str) -> CloseTable:
    return CloseTable(request=request(("close", table_id)), table_id=table_id)


def settle(
    hand_id: str, table_id: str, game: str, record: Any, *, replaces: str = "", request_id: str = ""
) -> SettleHand:
    """A finished hand of any game, judged when its turn comes."""
    return SettleHand(
        request=request(("settle", hand_id, table_id, record, replaces), request_id),
        hand_id=hand_id,
        table_id=table_id,
        game=game,
        players=GAMES[game].participants(record),
        record=record,
        replaces_hand_id=replaces,
    )


def three_pots(hand_id: str, players: Sequence[str], table_id: str = "T", **options: Any) -> SettleHand:
    """A finished hand of 比機 between two or three players, of whom the last wins most."""
    record = BiJiHand(tuple(players), tuple(Layout(tuple(text.split(" | "))) for text in LAYOUTS[: len(players)]))
    return settle(hand_id, table_id, "bi_ji", record, **options)


def lost_bet(
    hand_id: str,
    bettor: str,
    banker: str,
    silver: int,
    table_id: str = "九點半",
    door: Door = Door.SHANG,
    **options: Any,
) -> SettleHand:
    """A finished hand of 九點半 in which a bettor loses one bet to the banker, or on 天門 wins it twofold."""
    record = JiuDianBanHand(banker, (Bet(bettor, door, silver),), LOSING_DOOR)
    return settle(hand_id, table_id, "jiu_dian_ban", record, **options)


def open_hand(hand_id: str, players: Sequence[str], table_id: str = "九點半", *, replaces: str = "") -> OpenHand:
    asked = request(("open_hand", hand_id, tuple(players), replaces))
    return OpenHand(
        request=asked, hand_id=hand_id, table_id=table_id, players=tuple(players), replaces_hand_id=replaces
    )


def bet(hand_id: str, bettor: str, silver: int, door: Door = Door.SHANG) -> MakeChoice:
    """A bet in an open hand of 九點半."""
    return MakeChoice(
        request=request(("bet", hand_id, bettor, silver)),
        hand_id=hand_id,
        player_id=bettor,
        game="jiu_dian_ban",
        choice=BetChoice(door, silver),
    )


def finish(hand_id: str) -> FinishHand:
    """The cards of an open hand of 九點半 are turned up."""
    asked = request(("finish", hand_id))
    return FinishHand(request=asked, hand_id=hand_id, game="jiu_dian_ban", ending=Ending(LOSING_DOOR))


def void(hand_id: str, reason: str = "the table lost power") -> VoidHand:
    return VoidHand(request=request(("void", hand_id, reason)), hand_id=hand_id, reason=reason)


def reverse(hand_id: str, reason: str = "the wrong layouts were sent", actor: str = "operator") -> ReverseHand:
    return ReverseHand(request=request(("reverse", hand_id, reason), actor=actor), hand_id=hand_id, reason=reason)


def done(house: CountingHouse, *commands: Command) -> list[Answer]:
    """Has commands carried out in one batch; none may be refused."""
    answers = []
    for answer in house.execute(commands):
        if isinstance(answer, Refusal):
            raise answer
        answers.append(answer)
    return answers


def refused(house: CountingHouse, command: Command) -> Refusal:
    """The refusal of a command that must be refused."""
    answer = house.execute([command])[0]
    assert isinstance(answer, Refusal), answer
    return answer


def seat(house: CountingHouse, **silver: int) -> None:
    """Registers players and brings their silver."""
    done(house, *[register(player_id) for player_id in silver])
    done(house, *[deposit(player_id, amount) for player_id, amount in silver.items() if amount])
