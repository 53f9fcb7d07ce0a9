"""The auction: every sequence of words there is, and what each is worth."""

import re
from itertools import product

import pytest

from tests.rules.er_ren_dou_di_zhu.table import change, say, settle
from zhangfang.rules.games.er_ren_dou_di_zhu.auction import Auction, hold_auction
from zhangfang.rules.games.er_ren_dou_di_zhu.record import AuctionAction, Word
from zhangfang.rules.verdict import Fault

COMPLETE = re.compile(r"pp|p?c(r{0,3}d|rrrr)")
"""DZ-3 and DZ-4 by initials: both pass, or a call, at most four robs, a decline unless there were four."""

BEGUN = re.compile(r"p?|p?cr{0,3}")
"""What can still become a complete auction."""


@pytest.mark.parametrize("first", [0, 1])
def test_dz_3_and_dz_4__every_sequence_of_seven_words_stops_where_the_rulebook_stops_it(first: int) -> None:
    differing = []
    for words in product("cprd", repeat=7):
        spoken = "".join(words)
        legal = next(length for length in range(7, -1, -1) if is_begun(spoken[:length]))
        before_the_call = "c" not in spoken[:legal]

        found = hold_auction(speak(spoken, first), first, ("Ann", "Bo"))

        expected = ("DZ-3" if before_the_call else "DZ-4", legal, ("Ann", "Bo")[(first + legal) % 2])
        if not isinstance(found, Fault) or (found.rule, found.action, found.player) != expected:
            differing.append(spoken)

    assert differing == []


def is_begun(spoken: str) -> bool:
    return bool(BEGUN.fullmatch(spoken) or COMPLETE.fullmatch(spoken))


def speak(spoken: str, first: int) -> tuple[AuctionAction, ...]:
    words = {word[0]: word for word in Word}
    return tuple([AuctionAction((first + index) % 2, words[initial]) for index, initial in enumerate(spoken)])


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    ("spoken", "landlord", "robs"),
    [
        pytest.param("pp", None, 0, id="both_pass"),
        pytest.param("cd", 0, 0, id="called"),
        pytest.param("crd", 1, 1, id="robbed_once"),
        pytest.param("crrd", 0, 2, id="robbed_twice"),
        pytest.param("crrrd", 1, 3, id="robbed_three_times"),
        pytest.param("crrrr", 0, 4, id="robbed_four_times"),
        pytest.param("pcd", 1, 0, id="called_second"),
        pytest.param("pcrd", 0, 1, id="called_second_robbed_once"),
        pytest.param("pcrrd", 1, 2, id="called_second_robbed_twice"),
        pytest.param("pcrrrd", 0, 3, id="called_second_robbed_three_times"),
        pytest.param("pcrrrr", 1, 4, id="called_second_robbed_four_times"),
    ],
)
def test_dz_4__the_landlord_is_who_called_or_robbed_last(
    spoken: str, landlord: int | None, robs: int, first: int
) -> None:
    auction = hold_auction(speak(spoken, first), first, ("Ann", "Bo"))

    assert isinstance(auction, Auction)
    assert auction.is_over
    assert auction.is_redeal == (landlord is None)
    assert auction.landlord == (None if landlord is None else (first + landlord) % 2)
    assert auction.robs == robs


def test_dz_4__there_is_no_landlord_while_the_other_may_still_rob() -> None:
    auction = hold_auction(speak("cr", 0), 0, ("Ann", "Bo"))

    assert isinstance(auction, Auction)
    assert (auction.holder, auction.landlord) == (1, None)


def test_dz_2__who_was_dealt_the_call_card_speaks_first() -> None:
    hand = change(call_card="W", auction=say("pass call decline", first=1))

    verdict = settle(hand)

    assert verdict.outcome.landlord == 0


def test_dz_5__the_auction_multiplies_by_the_number_of_robs() -> None:
    auctions = [f"call{' rob' * robs} decline" for robs in range(4)] + ["call rob rob rob rob"]
    hands = [change(auction=say(words), rang_xian=None, plays=(), escape=0) for words in auctions]

    outcomes = [settle(hand).outcome for hand in hands]

    assert [(outcome.robs, outcome.multiplier) for outcome in outcomes] == [(0, 1), (1, 2), (2, 4), (3, 5), (4, 6)]
