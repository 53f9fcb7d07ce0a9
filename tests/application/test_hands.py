"""The life of a hand: settled once, voided, reversed and settled again; and everything that is not there."""

from dataclasses import replace

import pytest

from tests.bookkeeping import assert_sound, balances
from tests.callers import (
    LOSING_DOOR,
    bet,
    close_table,
    deposit,
    done,
    finish,
    lost_bet,
    open_hand,
    open_table,
    refused,
    register,
    request,
    reverse,
    settle,
    three_pots,
    void,
    withdraw,
)
from tests.rules.er_ren_dou_di_zhu.table import HAND, change, say
from zhangfang.application import CountingHouse
from zhangfang.domain.commands import Command, RecordDeal
from zhangfang.domain.events import HandOpened, HandReplaced, HandSettled, HandVoided
from zhangfang.domain.hands import Hand, HandState
from zhangfang.errors import Reason, Refusal, Status
from zhangfang.ledger.accounts import FEES
from zhangfang.rules.verdict import PENALTIES

UNKNOWN: dict[str, tuple[Command, Reason]] = {
    "depositor": (deposit("nobody", 1), Reason.UNKNOWN_PLAYER),
    "withdrawer": (withdraw("nobody", 1), Reason.UNKNOWN_PLAYER),
    "player": (three_pots("h", ("A", "nobody")), Reason.UNKNOWN_PLAYER),
    "bettor": (lost_bet("h", "nobody", "Z", 1), Reason.UNKNOWN_PLAYER),
    "banker": (open_hand("h", ["nobody"]), Reason.UNKNOWN_PLAYER),
    "table_of_a_hand": (three_pots("h", "AB", "none"), Reason.UNKNOWN_TABLE),
    "table_of_an_open_hand": (open_hand("h", "Z", "none"), Reason.UNKNOWN_TABLE),
    "table_to_close": (close_table("none"), Reason.UNKNOWN_TABLE),
    "hand_to_bet_in": (bet("none", "A", 1), Reason.UNKNOWN_HAND),
    "hand_to_finish": (finish("none"), Reason.UNKNOWN_HAND),
    "hand_to_reverse": (reverse("none"), Reason.UNKNOWN_HAND),
}


@pytest.mark.parametrize(("command", "reason"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_is_not_there_is_not_found(house: CountingHouse, command: Command, reason: Reason) -> None:
    refusal = refused(house, command)

    assert (refusal.status, refusal.reason) == (Status.NOT_FOUND, reason)


EXISTING: dict[str, tuple[Command, Reason]] = {
    "player": (register("A"), Reason.PLAYER_EXISTS),
    "table": (open_table("T"), Reason.TABLE_EXISTS),
    "settled_hand": (three_pots("settled", "BC"), Reason.HAND_EXISTS),
    "open_hand": (lost_bet("open", "A", "Z", 1), Reason.HAND_EXISTS),
    "hand_opened_twice": (open_hand("open", "Z"), Reason.HAND_EXISTS),
    "reversed_hand": (three_pots("reversed", "AB"), Reason.HAND_EXISTS),
}


@pytest.mark.parametrize(("command", "reason"), EXISTING.values(), ids=EXISTING.keys())
def test_an_id_is_used_once(house: CountingHouse, command: Command, reason: Reason) -> None:
    done(house, three_pots("settled", "AB"), open_hand("open", "Z"), three_pots("reversed", "AB"), reverse("reversed"))

    refusal = refused(house, command)

    assert (refusal.status, refusal.reason) == (Status.ALREADY_EXISTS, reason)


REFUSED_NOW: dict[str, tuple[Command, Reason]] = {
    "settle_at_a_closed_table": (three_pots("h", "AB"), Reason.TABLE_CLOSED),
    "open_at_a_closed_table": (open_hand("h", ["A", "B"], "T"), Reason.TABLE_CLOSED),
    "close_twice": (close_table("T"), Reason.TABLE_CLOSED),
    "bet_in_a_settled_hand": (bet("settled", "A", 1), Reason.HAND_NOT_OPEN),
    "finish_a_settled_hand": (finish("settled"), Reason.HAND_NOT_OPEN),
    "void_a_settled_hand": (void("settled"), Reason.HAND_NOT_OPEN),
    "bet_in_a_voided_hand": (bet("voided", "A", 1), Reason.HAND_VOIDED),
    "finish_a_voided_hand": (finish("voided"), Reason.HAND_VOIDED),
    "void_a_voided_hand": (void("voided"), Reason.HAND_VOIDED),
    "reverse_a_voided_hand": (reverse("voided"), Reason.HAND_NOT_SETTLED),
    "reverse_an_open_hand": (reverse("open"), Reason.HAND_NOT_SETTLED),
    "reverse_twice": (reverse("reversed"), Reason.HAND_ALREADY_REVERSED),
    "replace_a_settled_hand": (lost_bet("h", "A", "Z", 1, replaces="settled"), Reason.REPLACED_HAND_NOT_REVERSED),
    "replace_an_unknown_hand": (lost_bet("h", "A", "Z", 1, replaces="none"), Reason.REPLACED_HAND_NOT_REVERSED),
    "settle_a_voided_hand": (lost_bet("voided", "A", "Z", 1), Reason.HAND_VOIDED),
    "a_bet_of_the_banker": (bet("open", "Z", 1), Reason.CHOICE_REFUSED),
    "a_bet_beyond_his_silver": (bet("open", "A", 5000), Reason.CHOICE_REFUSED),
}


@pytest.mark.parametrize(("command", "reason"), REFUSED_NOW.values(), ids=REFUSED_NOW.keys())
def test_what_cannot_be_done_now_is_refused_with_the_reason(
    house: CountingHouse, command: Command, reason: Reason
) -> None:
    done(house, close_table("T"), lost_bet("settled", "A", "Z", 1), open_hand("voided", "Z"), void("voided"))
    done(house, open_hand("open", "Z"), lost_bet("reversed", "A", "Z", 1), reverse("reversed"))
    before = assert_sound(house.database)

    refusal = refused(house, command)

    assert (refusal.status, refusal.reason) == (Status.FAILED_PRECONDITION, reason)
    assert assert_sound(house.database) == before


INVALID: dict[str, tuple[Command, Reason]] = {
    "another_game": (replace(three_pots("h", "AB"), table_id="九點半"), Reason.WRONG_GAME),
    "a_bet_in_another_game": (replace(bet("open", "A", 1), game="bi_ji"), Reason.WRONG_GAME),
    "too_many_players": (open_hand("h", ["Z", "A"]), Reason.INVALID_FIELD),
    "a_player_twice": (open_hand("h", ["A", "A"], "T"), Reason.INVALID_FIELD),
    "nobody_answers_for_it": (reverse("settled", actor=" "), Reason.INVALID_FIELD),
    "a_faulty_hand": (lost_bet("h", "A", "Z", 0), Reason.HAND_FAULTY),
}


@pytest.mark.parametrize(("command", "reason"), INVALID.values(), ids=INVALID.keys())
def test_what_is_wrong_in_itself_is_an_invalid_argument(house: CountingHouse, command: Command, reason: Reason) -> None:
    done(house, open_hand("open", "Z"), three_pots("settled", "AB"))

    refusal = refused(house, command)

    assert (refusal.status, refusal.reason) == (Status.INVALID_ARGUMENT, reason)


def test_a_reversal_needs_a_reason(house: CountingHouse) -> None:
    done(house, three_pots("h", "AB"))

    refusal = refused(house, reverse("h", reason=" "))

    assert refusal.faults[0].rule == "CM-11"


def test_a_hand_of_a_closed_table_can_still_be_finished_voided_and_reversed(house: CountingHouse) -> None:
    done(house, open_hand("h", "Z"), bet("h", "A", 5), open_hand("i", "Z"), close_table("九點半"))

    done(house, bet("h", "B", 5), finish("h"), void("i"), reverse("h"))

    assert balances(house.database, "A", "B", "Z") == [1000, 1000, 1000]
    assert_sound(house.database)


def test_a_hand_piece_by_piece_pays_as_in_one_go(house: CountingHouse) -> None:
    in_one_go = done(house, lost_bet("one", "A", "Z", 7))[0].event
    opened, chosen, finished = done(house, open_hand("h", "Z"), bet("h", "A", 7), finish("h"))

    assert isinstance(opened.event, HandOpened)
    assert isinstance(chosen.subject, Hand)
    assert chosen.subject.holds == {"A": 7}
    assert [posted.amount for posted in finished.event.postings] == [posted.amount for posted in in_one_go.postings]
    assert finished.event.holds == (("A", -7),)
    assert_sound(house.database)


def test_cards_may_come_before_the_end(house: CountingHouse) -> None:
    dealt = RecordDeal(request=request("deal"), hand_id="h", game="jiu_dian_ban", deal=LOSING_DOOR)
    done(house, open_hand("h", "Z"), bet("h", "A", 7), dealt)

    late = refused(house, bet("h", "B", 7))
    again = refused(house, replace(dealt, request=request("deal again")))

    assert (late.reason, again.reason) == (Reason.CHOICE_REFUSED, Reason.CHOICE_REFUSED)


def test_the_sum_of_open_bets_never_exceeds_what_a_bettor_has(house: CountingHouse) -> None:
    done(house, open_table("U", "jiu_dian_ban", 1), open_hand("h", "Z"), open_hand("i", "B", "U"))

    answers = house.execute([bet("h", "A", 400), bet("i", "A", 400), bet("h", "A", 400), bet("i", "A", 200)])

    assert [isinstance(answer, Refusal) for answer in answers] == [False, False, True, False]
    assert refused(house, bet("h", "A", 1)).reason is Reason.CHOICE_REFUSED
    assert_sound(house.database)


def test_voiding_a_hand_gives_its_bets_free(house: CountingHouse) -> None:
    done(house, open_hand("h", "Z"), bet("h", "A", 600), bet("h", "A", 400))

    answer = done(house, void("h"))[0]

    assert isinstance(answer.event, HandVoided)
    assert answer.event.holds == (("A", -1000),)
    done(house, withdraw("A", 1000))


def test_a_void_that_comes_before_its_hand_is_remembered(house: CountingHouse) -> None:
    answer = done(house, void("h", reason="连接断了"))[0]

    for late in (three_pots("h", "AB"), open_hand("h", "Z")):
        refusal = refused(house, late)
        assert (refusal.status, refusal.reason) == (Status.FAILED_PRECONDITION, Reason.HAND_VOIDED)
        assert refusal.metadata["void_reason"] == "连接断了"
    assert isinstance(answer.subject, Hand)
    assert (answer.subject.state, answer.subject.table_id) == (HandState.VOIDED, "")
    assert_sound(house.database)


def test_cm_11__a_hand_is_reversed_once_and_settled_again_once(house: CountingHouse) -> None:
    done(house, three_pots("first", "AB"), reverse("first"))
    second = done(house, three_pots("second", "BA", replaces="first"))[0]

    third = refused(house, three_pots("third", "BA", replaces="first"))

    assert third.reason is Reason.REPLACED_HAND_NOT_REVERSED
    assert isinstance(second.subject, Hand)
    assert second.subject.replaces_hand_id == "first"
    first = house.hand("first")
    assert first is not None
    assert (first.state, first.replaced_by) == (HandState.REVERSED, "second")
    assert balances(house.database, "A", "B") == [1010, 990]
    assert_sound(house.database)


def test_cm_11__whichever_hand_is_named_only_one_settlement_stands(house: CountingHouse) -> None:
    done(house, three_pots("first", "AB"), reverse("first"), three_pots("second", "BA", replaces="first"))
    done(house, reverse("second"))

    done(house, three_pots("third", "AB", replaces="first"))

    first, second = house.hand("first"), house.hand("second")
    assert first is not None
    assert second is not None
    assert (first.replaced_by, second.replaced_by) == ("second", "third")
    assert refused(house, three_pots("fourth", "AB", replaces="second")).reason is Reason.REPLACED_HAND_NOT_REVERSED
    assert balances(house.database, "A", "B") == [990, 1010]
    replaced = [event for event in assert_sound(house.database) if isinstance(event, HandReplaced)]
    assert [event.by_hand_id for event in replaced] == ["second", "third"]


def test_cm_11__a_replacement_that_is_voided_gives_the_first_hand_free_again(house: CountingHouse) -> None:
    done(house, lost_bet("first", "A", "Z", 5), reverse("first"), open_hand("second", "Z", replaces="first"))
    assert refused(house, lost_bet("third", "A", "Z", 6, replaces="first")).reason is Reason.REPLACED_HAND_NOT_REVERSED

    done(house, void("second"))

    done(house, lost_bet("third", "A", "Z", 6, replaces="first"))
    assert balances(house.database, "A") == [994]
    assert_sound(house.database)


def test_cm_11__a_chain_of_replacements_in_one_batch_is_as_one_by_one(house: CountingHouse) -> None:
    chain: list[Command] = [three_pots("h0", "AB")]
    for number in range(1, 6):
        chain += [
            reverse(f"h{number - 1}"),
            three_pots(f"h{number}", "ABC"[: 2 + number % 2], replaces=f"h{number - 1}"),
        ]

    done(house, *chain)

    assert balances(house.database, "A", "B", "C") == [990, 970, 1040]
    hands = [house.hand(f"h{number}") for number in range(6)]
    assert [hand.state for hand in hands if hand] == [HandState.REVERSED] * 5 + [HandState.SETTLED]
    assert_sound(house.database)


def test_dz_3__a_redeal_is_written_down_as_voided_with_its_judgement(house: CountingHouse) -> None:
    redeal = change(HAND, players=("A", "B"), auction=say("pass pass"), rang_xian=None, plays=())
    done(house, open_table("D", "er_ren_dou_di_zhu", 100, table_fee=5))

    answer = done(house, settle("h", "D", "er_ren_dou_di_zhu", redeal))[0]

    assert isinstance(answer.event, HandVoided)
    assert answer.event.judgement
    assert refused(house, reverse("h")).reason is Reason.HAND_NOT_SETTLED
    assert balances(house.database, "A", "B") == [1000, 1000]
    assert_sound(house.database)


def test_dz_3__a_redeal_that_would_settle_another_hand_again_leaves_that_free(house: CountingHouse) -> None:
    redeal = change(HAND, players=("A", "B"), auction=say("pass pass"), rang_xian=None, plays=())
    done(house, open_table("D", "er_ren_dou_di_zhu", 1), three_pots("first", "AB"), reverse("first"))
    done(house, settle("second", "D", "er_ren_dou_di_zhu", redeal, replaces="first"))

    answer = done(house, three_pots("third", "AB", replaces="first"))[0]

    assert isinstance(answer.event, HandSettled)
    assert_sound(house.database)


def test_dz_30__who_runs_away_pays_the_house_without_a_fee(house: CountingHouse) -> None:
    escaped = change(HAND, players=("A", "B"), plays=HAND.plays[:2], escape=1)
    done(house, open_table("D", "er_ren_dou_di_zhu", 100, table_fee=5))

    done(house, settle("h", "D", "er_ren_dou_di_zhu", escaped))

    paid = [1000 - balances(house.database, "B")[0], *balances(house.database, "A")]
    events = assert_sound(house.database)
    posted = {each.account: each.amount for each in events[-1].postings}
    assert posted == {"player/B": -paid[0], PENALTIES: paid[0]}
    assert paid[1] == 1000
    assert FEES not in posted
