"""The deal: seventeen cards each, three on the bottom, one of the dealt cards face up.

Rule: DZ-1, DZ-2. Source: seed, "發牌規則" and "叫地主牌".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from zhangfang.rules.dealing import Dealt, check_cards
from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import WEIGHTS
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuDeal
from zhangfang.rules.shedding import CARD_BITS, held_cards
from zhangfang.rules.verdict import Fault, Faults

SEAT_COUNT = 2
HAND_CARDS = 17
BOTTOM_CARDS = 3


@dataclass(frozen=True, slots=True)
class Cards:
    """A faultless deal as sets of cards: each seat's hand, and the bottom."""

    hands: tuple[int, int]
    bottom: int

    def take_up(self, landlord: int) -> tuple[int, int]:
        """The two hands after the landlord has taken the bottom cards (底牌). Rule: DZ-6."""
        first, second = self.hands
        return (first | self.bottom, second) if landlord == 0 else (first, second | self.bottom)


def look_at(deal: ErRenDouDiZhuDeal | None, players: Sequence[str]) -> Cards | Faults:
    """The cards dealt to two players, or everything wrong with them. Rule: DZ-1."""
    if deal is None or len(deal.hands) != SEAT_COUNT:
        dealt = 0 if deal is None else len(deal.hands)
        text = f"{dealt} hands were dealt; each of the two players gets {HAND_CARDS} cards"
        return (Fault(rule="DZ-1", section="deal", action=min(dealt, SEAT_COUNT), text=text),)
    first, second = [held_cards(WEIGHTS, cards) for cards in deal.hands]
    bottom = held_cards(WEIGHTS, deal.bottom)
    if (
        first.bit_count() == second.bit_count() == HAND_CARDS
        and bottom.bit_count() == BOTTOM_CARDS
        and (first | second | bottom).bit_count() == SEAT_COUNT * HAND_CARDS + BOTTOM_CARDS
    ):
        return Cards((first, second), bottom)
    return check_cards(
        "DZ-1",
        WEIGHTS,
        (
            *[Dealt("deal", seat, players[seat], deal.hands[seat], HAND_CARDS) for seat in range(SEAT_COUNT)],
            Dealt("bottom", 0, None, deal.bottom, BOTTOM_CARDS),
        ),
    )


def find_first_speaker(cards: Cards, call_card: str) -> int | Fault:
    """The seat that was dealt the card lying face up (叫地主牌). Rule: DZ-2."""
    face_up = WEIGHTS.get(call_card, 0) & CARD_BITS
    for seat, hand in enumerate(cards.hands):
        if hand & face_up:
            return seat
    text = f"the call card {call_card!r} is in neither hand; it must be one of the 34 cards dealt to the players"
    return Fault(rule="DZ-2", section="call_card", action=0, card=call_card or None, text=text)
