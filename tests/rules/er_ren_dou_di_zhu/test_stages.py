"""A hand that arrives piece by piece: who may choose what when, and that every piece is judged like the whole."""

from dataclasses import replace

import pytest
from hypothesis import given

from tests.rules.er_ren_dou_di_zhu.hands import Table, tables
from tests.rules.er_ren_dou_di_zhu.table import DEAL, HAND, PLAYS, RULES, change, place, say
from zhangfang.rules.game import Opening, Progress
from zhangfang.rules.games.er_ren_dou_di_zhu import GAME
from zhangfang.rules.games.er_ren_dou_di_zhu.record import (
    ErRenDouDiZhuChoice,
    ErRenDouDiZhuDeal,
    ErRenDouDiZhuEnding,
    ErRenDouDiZhuHand,
    Word,
)

BEGUN = GAME.begin(("Ann", "Bo"))
DEALT = change(auction=(), rang_xian=None, plays=())
LANDLORD_ANN = change(rang_xian=None, plays=())
IN_PLAY = change(plays=())
REDEAL = change(DEALT, auction=say("pass pass"))
ESCAPED = change(IN_PLAY, escape=1)

CALL, PASS, ROB, DECLINE = [ErRenDouDiZhuChoice(word=word) for word in Word]
RANG_XIAN, NO_RANG_XIAN = [ErRenDouDiZhuChoice(rang_xian=chosen) for chosen in (True, False)]
ESCAPE = ErRenDouDiZhuChoice(escape=True)


def choose(record: ErRenDouDiZhuHand, player: str, choice: ErRenDouDiZhuChoice) -> ErRenDouDiZhuHand:
    """The record with a choice that must be accepted."""
    longer = GAME.choose(record, player, choice, RULES, 1, {})
    assert isinstance(longer, ErRenDouDiZhuHand), longer
    return longer


def piece_by_piece(hand: ErRenDouDiZhuHand, *, escape_late: bool) -> ErRenDouDiZhuHand:
    """The hand again, each deal, word and choice on its own; an escape as a choice, or with the ending."""
    assert hand.deal is not None
    record = GAME.deal(GAME.begin(hand.players), hand.deal, RULES)
    for seat, word in hand.auction:
        record = choose(record, hand.players[seat], ErRenDouDiZhuChoice(word=word))
    if hand.rang_xian is not None:
        landlord = [seat for seat, word in hand.auction if word in {Word.CALL, Word.ROB}][-1]
        record = choose(record, hand.players[landlord], ErRenDouDiZhuChoice(rang_xian=hand.rang_xian))
    if hand.escape is not None and not hand.plays and not escape_late:
        record = choose(record, hand.players[hand.escape], ESCAPE)
        return GAME.finish(record, ErRenDouDiZhuEnding(), RULES)
    return GAME.finish(record, ErRenDouDiZhuEnding(plays=hand.plays, escape=hand.escape), RULES)


@given(table=tables)
def test_dz_1_to_dz_30__a_hand_told_piece_by_piece_is_the_hand_told_at_once(table: Table) -> None:
    hand, rules = table

    told = [piece_by_piece(hand, escape_late=late) for late in (False, True)]

    assert told == [hand, hand]
    assert [GAME.judge(record, rules, 9, {}) for record in told] == [GAME.judge(hand, rules, 9, {})] * 2


@given(table=tables)
def test_dz_1_to_dz_30__only_what_is_open_is_accepted(table: Table) -> None:
    hand, rules = table
    choices = {
        **{word.value: ErRenDouDiZhuChoice(word=word) for word in Word},
        "rang_xian": RANG_XIAN,
        "escape": ESCAPE,
    }

    for stop in range(len(hand.auction) + 1):
        record = replace(hand, auction=hand.auction[:stop], rang_xian=None, plays=(), escape=None)
        progress = GAME.progress(record, rules)
        opened = {(opening.player, kind) for opening in progress.openings for kind in opening.kinds}

        accepted = {
            (player, kind)
            for player in hand.players
            for kind, choice in choices.items()
            if isinstance(GAME.choose(record, player, choice, rules, 1, {}), ErRenDouDiZhuHand)
        }

        assert accepted == opened
        assert progress.is_over == (not opened)


@pytest.mark.parametrize(
    ("record", "progress"),
    [
        pytest.param(BEGUN, Progress("deal", ()), id="begun"),
        pytest.param(
            DEALT,
            Progress("auction", (Opening("Ann", ("call", "pass", "escape")), Opening("Bo", ("escape",)))),
            id="dealt",
        ),
        pytest.param(
            change(DEALT, auction=say("call")),
            Progress("auction", (Opening("Ann", ("escape",)), Opening("Bo", ("rob", "decline", "escape")))),
            id="called",
        ),
        pytest.param(
            LANDLORD_ANN,
            Progress("rang_xian", (Opening("Ann", ("rang_xian", "escape")), Opening("Bo", ("escape",)))),
            id="a_landlord",
        ),
        pytest.param(
            IN_PLAY, Progress("play", (Opening("Ann", ("escape",)), Opening("Bo", ("escape",)))), id="in_play"
        ),
        pytest.param(REDEAL, Progress("over", (), is_over=True), id="a_redeal"),
        pytest.param(ESCAPED, Progress("over", (), is_over=True), id="an_escape"),
    ],
)
def test_dz_1_to_dz_30__progress(record: ErRenDouDiZhuHand, progress: Progress) -> None:
    found = GAME.progress(record, RULES)

    assert found == progress


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(change(auction=say("rob")), id="a_faulty_auction"),
        pytest.param(change(bottom=""), id="a_faulty_deal"),
    ],
)
def test_dz_1_to_dz_30__a_record_that_was_not_made_here_has_no_progress(record: ErRenDouDiZhuHand) -> None:
    with pytest.raises(ValueError, match=r"says rob|0 cards instead of 3"):
        GAME.progress(record, RULES)


@pytest.mark.parametrize(
    ("record", "deal", "expected"),
    [
        pytest.param(DEALT, DEAL, ("DZ-1", "deal", 0, None), id="twice"),
        pytest.param(GAME.begin(("Ann",)), DEAL, ("DZ-1", "players", 0, None), id="to_one_player"),
        pytest.param(BEGUN, replace(DEAL, bottom=""), ("DZ-1", "bottom", 0, None), id="without_a_bottom"),
        pytest.param(BEGUN, replace(DEAL, call_card="Ac"), ("DZ-2", "call_card", 0, None), id="a_dead_call_card"),
    ],
)
def test_dz_1_and_dz_2__a_deal_that_is_refused(
    record: ErRenDouDiZhuHand, deal: ErRenDouDiZhuDeal, expected: tuple[str, str, int, str | None]
) -> None:
    faults = GAME.deal(record, deal, RULES)

    assert [place(fault) for fault in faults] == [expected]


@pytest.mark.parametrize(
    ("record", "player", "choice", "expected"),
    [
        pytest.param(BEGUN, "Ann", CALL, ("DZ-1", "deal", 0, "Ann"), id="a_word_before_the_deal"),
        pytest.param(BEGUN, "Ann", RANG_XIAN, ("DZ-1", "deal", 0, "Ann"), id="rang_xian_before_the_deal"),
        pytest.param(BEGUN, "Ann", ESCAPE, ("DZ-30", "deal", 0, "Ann"), id="an_escape_before_the_deal"),
        pytest.param(DEALT, "Bo", CALL, ("DZ-2", "auction", 0, "Bo"), id="the_other_first"),
        pytest.param(DEALT, "Ann", ROB, ("DZ-3", "auction", 0, "Ann"), id="a_rob_before_the_call"),
        pytest.param(change(DEALT, auction=say("pass")), "Ann", CALL, ("DZ-3", "auction", 1, "Ann"), id="a_word_twice"),
        pytest.param(DEALT, "Cy", CALL, ("DZ-2", "auction", 0, "Cy"), id="a_strangers_word"),
        pytest.param(LANDLORD_ANN, "Ann", ROB, ("DZ-4", "auction", 2, "Ann"), id="a_late_word"),
        pytest.param(IN_PLAY, "Bo", DECLINE, ("DZ-4", "auction", 2, "Bo"), id="a_word_in_play"),
        pytest.param(REDEAL, "Ann", CALL, ("DZ-3", "auction", 2, "Ann"), id="a_word_after_the_redeal"),
        pytest.param(ESCAPED, "Ann", PASS, ("DZ-30", "escape", 0, "Ann"), id="a_word_after_an_escape"),
        pytest.param(DEALT, "Ann", RANG_XIAN, ("DZ-6", "rang_xian", 0, "Ann"), id="rang_xian_without_a_landlord"),
        pytest.param(LANDLORD_ANN, "Bo", RANG_XIAN, ("DZ-6", "rang_xian", 0, "Bo"), id="rang_xian_by_the_farmer"),
        pytest.param(LANDLORD_ANN, "Cy", RANG_XIAN, ("DZ-6", "rang_xian", 0, "Cy"), id="rang_xian_by_a_stranger"),
        pytest.param(IN_PLAY, "Ann", NO_RANG_XIAN, ("DZ-6", "rang_xian", 0, "Ann"), id="rang_xian_twice"),
        pytest.param(REDEAL, "Ann", RANG_XIAN, ("DZ-6", "rang_xian", 0, "Ann"), id="rang_xian_after_the_redeal"),
        pytest.param(REDEAL, "Bo", ESCAPE, ("DZ-30", "escape", 0, "Bo"), id="an_escape_after_the_redeal"),
        pytest.param(ESCAPED, "Bo", ESCAPE, ("DZ-30", "escape", 0, "Bo"), id="an_escape_twice"),
        pytest.param(IN_PLAY, "Cy", ESCAPE, ("DZ-30", "escape", 0, "Cy"), id="a_strangers_escape"),
        pytest.param(
            IN_PLAY, "Bo", ErRenDouDiZhuChoice(escape=False), ("DZ-30", "escape", 0, "Bo"), id="an_escape_not_meant"
        ),
        pytest.param(DEALT, "Ann", ErRenDouDiZhuChoice(), ("DZ-30", "escape", 0, "Ann"), id="nothing_chosen"),
    ],
)
def test_dz_2_to_dz_30__a_choice_that_is_refused(
    record: ErRenDouDiZhuHand,
    player: str,
    choice: ErRenDouDiZhuChoice,
    expected: tuple[str, str, int, str | None],
) -> None:
    faults = GAME.choose(record, player, choice, RULES, 1, {})

    assert [place(fault) for fault in faults] == [expected]
    assert player in faults[0].text


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(ErRenDouDiZhuEnding(plays=PLAYS), id="plays"),
        pytest.param(ErRenDouDiZhuEnding(escape=0), id="another_escape"),
    ],
)
def test_dz_30__a_hand_ended_by_an_escape_goes_on_no_more(ending: ErRenDouDiZhuEnding) -> None:
    faults = GAME.finish(ESCAPED, ending, RULES)

    assert [place(fault) for fault in faults] == [("DZ-30", "escape", 0, None)]


def test_dz_30__an_escape_in_play_comes_with_the_ending() -> None:
    finished = GAME.finish(IN_PLAY, ErRenDouDiZhuEnding(plays=PLAYS[:3], escape=1), RULES)

    assert finished == change(HAND, plays=PLAYS[:3], escape=1)
