"""Who banks (坐莊): the first banker, where dealing starts, and how the bank passes on.

A table passes the bank along its four seats (JD-13) or along a list that players apply to (上莊列表, JD-14). The list
is a value: every change answers a new list, or the fault of who may not change it so.

Rule: JD-11 … JD-14. Source: seed, 確定莊家 and 遊戲術語.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from zhangfang.rules.cards import CARDS, JOKER_RANK, rank_of, suit_of
from zhangfang.rules.verdict import Fault, Faults

# Where dealing starts by the turned card's rank (A 1 … K 13) mod 4: a king starts where an ace does.
_STARTS: Final = ("xia", "banker", "shang", "tian")
_SUITS_UPWARDS: Final = (3, 2, 1, 0)  # ♠ ♥ ♣ ♦ as 3, 2, 1, 0


def deal_start(turned_card: int) -> str:
    """Where dealing starts: ``banker``, ``shang``, ``tian`` or ``xia``. Rule: JD-11.

    >>> [deal_start(CARDS[text]) for text in ("As", "2h", "7c", "8d", "Kd")]
    ['banker', 'shang', 'tian', 'xia', 'banker']
    """
    return _STARTS[((turned_card >> 2) + 1) % 4]


def first_banker(draws: Sequence[tuple[str, str]]) -> str | Faults:
    """Who drew the highest card banks first (翻大者坐莊). Rule: JD-12.

    Args:
        draws: player and card, in the order of drawing.

    Returns:
        The banker, or every faulty draw: a card or a player for the second time, no card of the 54, or no draw.

    >>> first_banker([("A", "Kh"), ("B", "Ks"), ("C", "Ah")])
    'B'
    """
    faults = []
    strengths: dict[str, int] = {}
    drawn: set[str] = set()
    for event, (player, text) in enumerate(draws):
        card = CARDS.get(text)
        if card is None:
            why = f"{player} drew {text!r}, which is no card of the 54"
        elif text in drawn:
            why = f"{player} drew {text}, which was drawn before; every card is there once"
        elif player in strengths:
            why = f"{player} drew a second card; everybody draws one"
        else:
            drawn.add(text)
            strengths[player] = (
                card if rank_of(card) == JOKER_RANK else rank_of(card) * 4 + _SUITS_UPWARDS[suit_of(card)]
            )
            continue
        faults.append(Fault(rule="JD-12", section="draws", player=player, event=event, card=text, text=why))
    if not draws:
        faults.append(Fault(rule="JD-12", section="draws", text="nobody drew a card; every seat draws one"))
    return tuple(faults) or max(strengths, key=strengths.__getitem__)


def next_banker(banker: str, seats: Sequence[str], *, steps_down: bool) -> str:
    """Who banks next where the bank goes along the seats: the same, or the next seat counter-clockwise. Rule: JD-13."""
    return seats[(seats.index(banker) + 1) % len(seats)] if steps_down else banker


@dataclass(frozen=True, slots=True)
class BankerQueue:
    """The list of who wants to bank (上莊列表), head first; the head banks. Rule: JD-14.

    ``is_hand_open`` while a hand of the head is running, ``steps_down`` once he has applied to leave after it (下莊).
    """

    players: tuple[str, ...] = ()
    is_hand_open: bool = False
    steps_down: bool = False

    @property
    def banker(self) -> str | None:
        """Who banks, or would bank the next hand; None if nobody wants to."""
        return self.players[0] if self.players else None


def apply(queue: BankerQueue, player: str, silver: int) -> BankerQueue | Fault:
    """A player with silver joins the end of the list (申請上莊)."""
    if player in queue.players:
        return _refusal(player, f"{player} applies to bank though he is on the list; a player applies once")
    if silver <= 0:
        return _refusal(player, f"{player} applies to bank with {silver} silver; a banker needs at least 1")
    return replace(queue, players=(*queue.players, player))


def leave(queue: BankerQueue, player: str) -> BankerQueue | Fault:
    """Who waits leaves the list. The banker of a running hand does not wait: he steps down."""
    if player not in queue.players:
        return _refusal(player, f"{player} leaves the list of bankers, where he is not")
    if queue.is_hand_open and player == queue.banker:
        return _refusal(player, f"{player} leaves during his own hand; a banker steps down after it")
    return replace(queue, players=tuple([other for other in queue.players if other != player]))


def step_down(queue: BankerQueue, player: str) -> BankerQueue | Fault:
    """The banker leaves after the running hand, or at once between hands (申請下莊)."""
    if player != queue.banker:
        return _refusal(player, f"{player} steps down but does not bank; {queue.banker or 'nobody'} does")
    if queue.is_hand_open:
        return replace(queue, steps_down=True)
    return replace(queue, players=queue.players[1:])


def open_hand(queue: BankerQueue, silver: Mapping[str, int]) -> BankerQueue | Fault:
    """A hand begins; who has no silver when his turn to bank comes is dropped. Who is not named has none."""
    if queue.is_hand_open:
        return _refusal(None, "a hand opens while another is running; one hand runs at a time")
    queue = _drop_penniless(queue, silver)
    if queue.banker is None:
        return _refusal(None, "a hand opens without a banker; somebody on the list must have silver")
    return replace(queue, is_hand_open=True)


def close_hand(queue: BankerQueue, silver: Mapping[str, int]) -> BankerQueue | Fault:
    """A hand ends: who stepped down leaves, and who has no silver left is dropped when his turn comes.

    Args:
        queue: the list during the hand.
        silver: what everybody has after the hand.

    >>> queue = BankerQueue(("A", "B"), is_hand_open=True, steps_down=True)
    >>> close_hand(queue, {"A": 5, "B": 7}).players
    ('B',)
    """
    if not queue.is_hand_open:
        return _refusal(None, "a hand ends though none is running; it must open first")
    players = queue.players[1:] if queue.steps_down else queue.players
    return _drop_penniless(BankerQueue(players), silver)


def _drop_penniless(queue: BankerQueue, silver: Mapping[str, int]) -> BankerQueue:
    """The list from the first player on who has silver."""
    players = queue.players
    while players and silver.get(players[0], 0) <= 0:
        players = players[1:]
    return replace(queue, players=players)


def _refusal(player: str | None, text: str) -> Fault:
    return Fault(rule="JD-14", section="events", player=player, text=text)
