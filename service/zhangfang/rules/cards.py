"""Cards as small integers, and the rulebook's notation for them.

A card is ``rank * 4 + suit``. Ranks run A 2 3 … 10 J Q K as 0 … 12, suits ♠ ♥ ♣ ♦ as 0 … 3; the small joker is
52 and the big one 53, so that both have rank 13. The order of play is each game's own business.

Text notation (rulebook, "Cards"): rank then suit letter, ten is ``T``, ``w`` is the small joker and ``W`` the big one.

>>> [card_text(card) for card in parse_cards("5s Th W")]
['5s', 'Th', 'W']
"""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "shcd"
SUIT_SIGNS = "♠♥♣♦"

SMALL_JOKER = 52
JOKER_RANK = 13

TEXTS: tuple[str, ...] = (*(rank + suit for rank in RANKS for suit in SUITS), "w", "W")
CARDS: dict[str, int] = {text: card for card, text in enumerate(TEXTS)}
FULL_PACK = frozenset(range(54))


def card_text(card: int) -> str:
    """The rulebook's notation of a card, e.g. ``Th``."""
    return TEXTS[card]


def cards_text(cards: Iterable[int]) -> str:
    """Several cards in the rulebook's notation, separated by single spaces."""
    return " ".join([TEXTS[card] for card in cards])


def split_cards(text: str) -> list[str]:
    """The card texts in a string of cards; an empty string holds none."""
    return text.split(" ") if text else []


def parse_cards(text: str) -> list[int]:
    """The cards of a string, in its order.

    Raises:
        KeyError: for a text that names no card; the exception's argument is that text.
    """
    return [CARDS[card] for card in text.split(" ")] if text else []


def rank_of(card: int) -> int:
    """0 (A) … 12 (K), 13 for both jokers."""
    return card >> 2


def suit_of(card: int) -> int:
    """0 ♠, 1 ♥, 2 ♣, 3 ♦; meaningless for a joker."""
    return card & 3
