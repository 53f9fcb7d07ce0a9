"""Faulty deals of the climbing games, where no single game is meant."""

from zhangfang.rules.cards import CARDS
from zhangfang.rules.dealing import Dealt, check_cards


def test_a_hand_of_a_million_cards_has_one_fault():
    place = Dealt("deal", 0, "A", " ".join(["3s"] * 1_000_000), 17)

    faults = check_cards("X-0", CARDS, [place])

    assert [fault.text for fault in faults] == ["A has 1000000 cards instead of 17"]
