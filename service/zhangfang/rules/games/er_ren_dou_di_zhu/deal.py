"""The deal: seventeen cards each, three on the bottom, one of the dealt cards face up.

Rule: DZ-1, DZ-2. Source: seed, "發牌規則" and "叫地主牌".
"""

from collections.abc import Sequence

from zhangfang.rules.games.er_ren_dou_di_zhu.combinations import WEIGHTS
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuDeal
from zhangfang.rules.shedding import CARD_BITS, Dealt, check_cards, held_cards
from zhangfang.rules.verdict import Fault, Faults

SEAT_COUNT = 2
HAND_CARDS = 17
BOTTOM_CARDS = 3


def check_deal(deal: ErRenDouDiZhuDeal | None, players: Sequence[str]) -> Faults:
    """Every fault of the cards dealt to two players. Rule: DZ-1."""
    if deal is None or len(deal.hands) != SEAT_COUNT:
        dealt = 0 if deal is None else len(deal.hands)
        text = f"{dealt} hands were dealt; each of the two players gets {HAND_CARDS} cards"
        return (Fault(rule="DZ-1", section="deal", action=min(dealt, SEAT_COUNT), text=text),)
    if _is_complete(deal):
        return ()
    return check_cards(
        "DZ-1",
        WEIGHTS,
        (
            *[Dealt("deal", seat, players[seat], deal.hands[seat], HAND_CARDS) for seat in range(SEAT_COUNT)],
            Dealt("bottom", 0, None, deal.bottom, BOTTOM_CARDS),
        ),
    )


def _is_complete(deal: ErRenDouDiZhuDeal) -> bool:
    """Whether there are as many different cards of the pack as there should be: the quick look at a good deal."""
    texts = [*deal.hands[0].split(" "), *deal.hands[1].split(" "), *deal.bottom.split(" ")]
    return (
        deal.hands[0].count(" ") == deal.hands[1].count(" ") == HAND_CARDS - 1
        and len(texts) == len(set(texts)) == SEAT_COUNT * HAND_CARDS + BOTTOM_CARDS
        and WEIGHTS.keys() >= set(texts)
    )


def find_first_speaker(deal: ErRenDouDiZhuDeal) -> int | Fault:
    """The seat that was dealt the card lying face up (叫地主牌). Rule: DZ-2."""
    call_card = WEIGHTS.get(deal.call_card, 0) & CARD_BITS
    for seat, cards in enumerate(deal.hands):
        if call_card & held_cards(WEIGHTS, cards):
            return seat
    text = f"the call card {deal.call_card!r} is in neither hand; it must be one of the 34 cards dealt to the players"
    return Fault(rule="DZ-2", section="call_card", action=0, card=deal.call_card or None, text=text)


def take_up(deal: ErRenDouDiZhuDeal, landlord: int) -> tuple[int, int]:
    """The two hands as card sets, the landlord's with the bottom cards (底牌). Rule: DZ-6."""
    first, second = [held_cards(WEIGHTS, cards) for cards in deal.hands]
    bottom = held_cards(WEIGHTS, deal.bottom)
    return (first | bottom, second) if landlord == 0 else (first, second | bottom)
