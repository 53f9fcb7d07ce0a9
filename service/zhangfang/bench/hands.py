"""Legal hands of every game, made from a seed: the same seed gives the same hands, on every machine.

>>> hand = make_hand("bi_ji", Random(1), ("A", "B", "C", "D", "E"))
>>> GAMES["bi_ji"].judge(hand, GAMES["bi_ji"].house_rules(), 1, {}).ended.name
'NORMAL'
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from zhangfang.bench.playing import play_hand
from zhangfang.rules.cards import CARDS, FULL_PACK, cards_text
from zhangfang.rules.games import GAMES
from zhangfang.rules.games.ban_bian_tian_zha import record as bb
from zhangfang.rules.games.ban_bian_tian_zha.combinations import PACK as BB_PACK
from zhangfang.rules.games.ban_bian_tian_zha.judge import CLIMBING, held_hands
from zhangfang.rules.games.bi_ji import record as bj
from zhangfang.rules.games.bi_ji.laying import lay_cards
from zhangfang.rules.games.er_ren_dou_di_zhu import record as dz
from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import PACK as DZ_PACK
from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import WEIGHTS as DZ_WEIGHTS
from zhangfang.rules.games.er_ren_dou_di_zhu.play import SIDES, WITH_ANY_SINGLE_WINGS
from zhangfang.rules.games.jiu_dian_ban import record as jd
from zhangfang.rules.shedding import Seating, held_cards

PLAYER_COUNTS = {"ban_bian_tian_zha": 3, "er_ren_dou_di_zhu": 2, "bi_ji": 5, "jiu_dian_ban": 11}
"""How many players the benchmark seats: of 九點半 a banker and ten bettors."""

BETS = 100
"""How many bets a hand of 九點半 has."""


def make_hand(game: str, random: Random, players: Sequence[str]) -> Any:
    """A finished hand of these players, under the game's default house rules."""
    return _MAKERS[game](random, tuple(players))


def make_hands(game: str, seed: int, count: int) -> list[Any]:
    """Several hands, each with players of its own (``p-0-0``, ``p-0-1``, …, ``p-1-0``, …)."""
    random = Random(f"{game} {seed}")  # noqa: S311 - hands for a measurement
    return [make_hand(game, random, player_names(index, PLAYER_COUNTS[game])) for index in range(count)]


def player_names(index: int, count: int) -> tuple[str, ...]:
    """The players of the hand with this index."""
    return tuple([f"p-{index}-{seat}" for seat in range(count)])


def _shuffled(random: Random, pack: Sequence[int]) -> list[int]:
    cards = sorted(pack)
    random.shuffle(cards)
    return cards


def _make_ban_bian_tian_zha(random: Random, players: tuple[str, ...]) -> bb.BanBianTianZhaHand:
    """Three players; the holder of the big joker banks by kai_da."""
    cards = _shuffled(random, tuple(BB_PACK))
    deal = bb.BanBianTianZhaDeal(tuple([cards_text(cards[start : start + 17]) for start in (0, 17, 34)]))
    banker = next(seat for seat, hand in enumerate(deal.hands) if "W" in hand)
    idlers = tuple([seat for seat in range(3) if seat != banker])
    said = [bb.BankAction(seat, bb.BankWord.PASS) for seat in idlers]
    dou = tuple([bb.Dou(seat, random.random() < 0.5) for seat in idlers])
    opened = bb.BanBianTianZhaHand(
        players=players,
        chui=tuple([random.random() < 0.5 for _ in players]),
        deal=deal,
        bank=(*said, bb.BankAction(banker, bb.BankWord.KAI_DA)),
        dou=dou,
        lei=random.random() < 0.5 if any(each.dou for each in dou) else None,
    )
    seating = Seating(
        players=players,
        hands=held_hands(opened),
        leaders=(banker,),
        sides=((banker,), idlers),
        limits=(0, 0, 0),
        successors=lambda _winner, holding: holding[:1],
    )
    return bb.BanBianTianZhaHand(
        players=players,
        chui=opened.chui,
        deal=deal,
        bank=opened.bank,
        dou=opened.dou,
        lei=opened.lei,
        plays=play_hand(CLIMBING, seating, random),
    )


def _make_er_ren_dou_di_zhu(random: Random, players: tuple[str, ...]) -> dz.ErRenDouDiZhuHand:
    """Two players; the first calls, nobody robs, and the landlord leads."""
    cards = _shuffled(random, DZ_PACK)
    texts = [cards_text(cards[start:end]) for start, end in ((0, 17), (17, 34), (34, 37))]
    hands = [held_cards(DZ_WEIGHTS, text) for text in texts]
    seating = Seating(
        players=players,
        hands=(hands[0] | hands[2], hands[1]),
        leaders=(0,),
        sides=SIDES,
        limits=(0, 0),
        successors=lambda _winner, _holding: (),
    )
    return dz.ErRenDouDiZhuHand(
        players=players,
        deal=dz.ErRenDouDiZhuDeal(hands=(texts[0], texts[1]), bottom=texts[2], call_card=cards_text(cards[:1])),
        auction=(dz.AuctionAction(0, dz.Word.CALL), dz.AuctionAction(1, dz.Word.DECLINE)),
        rang_xian=False,
        plays=play_hand(WITH_ANY_SINGLE_WINGS, seating, random),
    )


def _make_bi_ji(random: Random, players: tuple[str, ...]) -> bj.BiJiHand:
    """Every player lays his nine cards as high as he can from the back."""
    cards = _shuffled(random, tuple(FULL_PACK))
    rules = bj.BiJiRules()
    layouts = []
    for seat in range(len(players)):
        groups = lay_cards(cards[9 * seat : 9 * seat + 9], rules)
        layouts.append(bj.Layout(groups=tuple([cards_text(group) for group in groups])))
    return bj.BiJiHand(players=players, layouts=tuple(layouts))


def _make_jiu_dian_ban(random: Random, players: tuple[str, ...]) -> jd.JiuDianBanHand:
    """The first player banks, the others bet again and again."""
    cards = _shuffled(random, tuple(CARDS.values()))
    pairs = [cards_text(cards[start : start + 2]) for start in (0, 2, 4, 6)]
    doors = tuple(jd.Door)
    bets = tuple(
        [jd.Bet(random.choice(players[1:]), random.choice(doors), random.randrange(1, 100)) for _ in range(BETS)]
    )
    return jd.JiuDianBanHand(banker=players[0], bets=bets, deal=jd.Deal(*pairs))


_MAKERS: dict[str, Callable[[Random, tuple[str, ...]], Any]] = {
    "ban_bian_tian_zha": _make_ban_bian_tian_zha,
    "er_ren_dou_di_zhu": _make_er_ren_dou_di_zhu,
    "bi_ji": _make_bi_ji,
    "jiu_dian_ban": _make_jiu_dian_ban,
}

__all__ = ["BETS", "GAMES", "PLAYER_COUNTS", "make_hand", "make_hands", "player_names"]
