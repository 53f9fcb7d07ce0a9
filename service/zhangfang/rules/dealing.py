"""Everything that can be wrong with the cards dealt in a climbing game; a game comes here once it finds a deal wrong.

Rule: CM-5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zhangfang.rules.verdict import Fault, Faults


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards dealt to one place: a seat's hand, or cards that belong to nobody (``player`` None)."""

    section: str
    action: int
    player: str | None
    cards: str
    card_count: int

    def fault(self, rule: str, text: str, card: str | None = None) -> Fault:
        """A fault of these cards, its text begun with whose they are."""
        text = f"{self.player or self.section} has {text}"
        return Fault(rule=rule, section=self.section, action=self.action, player=self.player, card=card, text=text)


def check_cards(rule: str, weights: Mapping[str, int], places: Sequence[Dealt]) -> Faults:
    """Every fault of the dealt cards: foreign ones, then duplicates at the later place, then wrong numbers.

    Of more cards than a whole pack only the number is wrong: so a record names a bounded number of faults.
    """
    foreign, duplicates, numbers = [], [], []
    seen: set[str] = set()
    for place in places:
        texts = place.cards.split(" ") if place.cards else []
        if len(texts) != place.card_count:
            numbers.append(place.fault(rule, f"{len(texts)} cards instead of {place.card_count}"))
        for card in texts if len(texts) <= len(weights) else ():
            if card not in weights:
                foreign.append(place.fault(rule, f"{card!r}, which is no card of this game's pack", card))
            elif card in seen:
                duplicates.append(place.fault(rule, f"{card}, which was dealt before; a pack holds it once", card))
            seen.add(card)
    return (*foreign, *duplicates, *numbers)
