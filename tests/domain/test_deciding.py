"""Commands decided on books filled by hand: what happens, what is refused, and that deciding changes nothing."""

from dataclasses import replace

from tests.callers import (
    bet,
    close_table,
    deposit,
    lost_bet,
    open_hand,
    open_table,
    register,
    reverse,
    settle,
    three_pots,
    void,
    withdraw,
)
from tests.domain.desk import Desk
from tests.rules.er_ren_dou_di_zhu.table import HAND, change, say
from zhangfang.domain import commands
from zhangfang.domain.commands import (
    Command,
    Judged,
    OpenHandCommand,
)
from zhangfang.domain.decide import DECIDERS
from zhangfang.domain.events import HandReplaced, HandReversed, HandSettled, HandVoided
from zhangfang.errors import Reason, Status
from zhangfang.rules.games import GAMES
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import ShortfallPolicy
from zhangfang.rules.verdict import INT64_MAX, Verdict


def test_every_command_has_its_decider() -> None:
    kinds = {kind for kind in vars(commands).values() if isinstance(kind, type) and issubclass(kind, Command)}

    assert set(DECIDERS) == kinds - {Command, OpenHandCommand}


def test_silver_comes_in_and_goes_out(desk: Desk) -> None:
    desk.do(register("D"), deposit("D", 5), withdraw("D", 3))

    assert desk.silver("D") == [2]
    assert desk.refuse(register("D")).reason is Reason.PLAYER_EXISTS
    assert desk.refuse(register("system/cash")).reason is Reason.INVALID_FIELD
    assert desk.refuse(withdraw("D", 3)).reason is Reason.INSUFFICIENT_SILVER
    assert desk.refuse(deposit("D", INT64_MAX)).reason is Reason.AMOUNT_OUT_OF_RANGE
    assert desk.refuse(deposit("E", 1)).reason is Reason.UNKNOWN_PLAYER


def test_a_table_is_opened_once_and_closed_once(desk: Desk) -> None:
    assert desk.refuse(open_table("T")).reason is Reason.TABLE_EXISTS
    assert desk.refuse(close_table("U")).reason is Reason.UNKNOWN_TABLE
    desk.do(close_table("T"))

    assert desk.refuse(close_table("T")).reason is Reason.TABLE_CLOSED
    assert desk.refuse(three_pots("h", "AB")).reason is Reason.TABLE_CLOSED


def test_a_table_of_a_game_without_a_bank_has_no_seats(desk: Desk) -> None:
    refusal = desk.refuse(replace(open_table("U"), seats=("A", "B")))

    assert refusal.violations[0].field == "seats"


def test_a_hand_judged_before_is_not_judged_again(desk: Desk) -> None:
    command = three_pots("h", "AB")
    verdict = GAMES["bi_ji"].judge(command.record, desk.books.table("T").house_rules, 3, {})
    assert isinstance(verdict, Verdict)

    settled = desk.do(replace(command, judged=Judged.of(verdict, 3, b"as it was judged")))[0]

    assert isinstance(settled, HandSettled)
    assert settled.judgement == b"as it was judged"
    assert desk.silver("A", "B") == [997, 1003]


def test_faults_of_a_hand_are_the_refusal(desk: Desk) -> None:
    refusal = desk.refuse(lost_bet("h", "A", "Z", 1001))

    assert (refusal.status, refusal.reason) == (Status.INVALID_ARGUMENT, Reason.HAND_FAULTY)
    assert {fault.rule for fault in refusal.faults} == {"JD-2"}


def test_amounts_out_of_range_are_the_refusal(desk: Desk) -> None:
    desk.do(open_table("U", stake=INT64_MAX), open_table("V", stake=INT64_MAX // 3, shortfall=ShortfallPolicy.OWE))
    desk.do(three_pots("g", "AC", "V"), three_pots("h", "AC", "V"))

    steps = desk.refuse(three_pots("i", "ABC", "U"))
    balance = desk.refuse(three_pots("i", "ABC", "V"))

    assert steps.reason is balance.reason is Reason.AMOUNT_OUT_OF_RANGE


def test_amounts_that_only_add_up_out_of_range_are_the_refusal(desk: Desk) -> None:
    big = Desk(A=INT64_MAX - 1, B=INT64_MAX - 1, C=0)
    big.do(open_table("U", stake=1, table_fee=INT64_MAX))

    refusal = big.refuse(three_pots("h", "ABC", "U"))

    assert refusal.reason is Reason.AMOUNT_OUT_OF_RANGE


def test_a_balance_on_the_way_must_fit_too() -> None:
    big = Desk(A=0, B=INT64_MAX - 5)
    big.do(open_table("U", stake=10, shortfall=ShortfallPolicy.OWE, table_fee=10))

    refusal = big.refuse(three_pots("h", "AB", "U"))

    assert refusal.reason is Reason.AMOUNT_OUT_OF_RANGE
    assert "player/B" in refusal.text


def test_what_is_available_must_fit_as_well() -> None:
    big = Desk(A=10, B=0, C=0, Z=10)
    big.do(open_table("九點半", "jiu_dian_ban", 1), open_hand("open", "Z"), bet("open", "A", 10))
    big.do(open_table("U", stake=INT64_MAX, shortfall=ShortfallPolicy.OWE), three_pots("h", "AB", "U"))
    big.do(open_table("V", stake=5, shortfall=ShortfallPolicy.OWE))

    refusal = big.refuse(three_pots("i", "AC", "V"))

    assert "available silver of player/A" in refusal.text


def test_the_stake_of_a_hand_is_that_of_its_table_or_goes_by_wealth(desk: Desk) -> None:
    rich = Desk(A=10**9, B=10**9)
    rich.do(open_table("U", stake_mode=StakeMode.BY_WEALTH), open_table("V", stake=7))

    by_wealth, fixed = rich.do(open_hand("h", "AB", "U")), rich.do(open_hand("i", "AB", "V"))

    assert by_wealth[0].stake > fixed[0].stake == 7  # type: ignore[attr-defined]


def test_a_hand_by_wealth_in_which_nobody_takes_part_goes_by_the_table(desk: Desk) -> None:
    desk.do(open_table("U", stake_mode=StakeMode.BY_WEALTH))

    refusal = desk.refuse(replace(three_pots("h", "", "U"), players=()))

    assert refusal.reason is Reason.HAND_FAULTY


def test_a_tombstone_is_refused_when_it_comes(desk: Desk) -> None:
    desk.do(void("h", reason="cancelled first"))

    refusal = desk.refuse(three_pots("h", "AB"))

    assert refusal.metadata == {"hand_id": "h", "void_reason": "cancelled first"}


def test_cm_11__reversing_and_settling_again(desk: Desk) -> None:
    desk.do(three_pots("h", "AB"))
    assert desk.refuse(reverse("none")).reason is Reason.UNKNOWN_HAND
    assert desk.refuse(reverse("h", actor="")).reason is Reason.INVALID_FIELD
    assert desk.refuse(reverse("h", reason="")).faults[0].rule == "CM-11"
    assert desk.refuse(three_pots("i", "AB", replaces="h")).reason is Reason.REPLACED_HAND_NOT_REVERSED
    assert desk.refuse(three_pots("i", "AB", replaces="none")).metadata == {}

    reversed_hand = desk.do(reverse("h"))[0]
    again = desk.do(three_pots("i", "ABC", replaces="h"))
    undone = desk.do(reverse("i"))

    assert isinstance(reversed_hand, HandReversed)
    assert reversed_hand.level_points == (("B", -1),)
    assert [type(event) for event in again] == [HandSettled, HandReplaced]
    assert [event.TOPIC for event in undone] == ["HandReversed"]
    assert desk.silver("A", "B", "C") == [1000, 1000, 1000]
    assert desk.refuse(reverse("i")).reason is Reason.HAND_ALREADY_REVERSED


def test_cm_11__what_becomes_nothing_gives_free_what_it_replaced(desk: Desk) -> None:
    redeal = change(HAND, players=("A", "B"), auction=say("pass pass"), rang_xian=None, plays=())
    desk.do(open_table("D", "er_ren_dou_di_zhu", 10), lost_bet("h", "A", "Z", 5), reverse("h"))

    voided = desk.do(settle("i", "D", "er_ren_dou_di_zhu", redeal, replaces="h"))
    opened = desk.do(open_hand("j", "Z", replaces="h"))
    replaced = desk.books.hand("h").replaced_by
    refused = desk.refuse(open_hand("k", "Z", replaces="h"))
    desk.do(void("j"))
    desk.do(open_hand("k", "Z", replaces="h"))

    assert [type(event) for event in voided] == [HandVoided]
    assert isinstance(opened[1], HandReplaced)
    assert replaced == "j"
    assert refused.reason is Reason.REPLACED_HAND_NOT_REVERSED
    assert desk.books.hand("h").replaced_by == "k"


def test_cm_11__of_what_was_played_only_one_settlement_ever_stands(desk: Desk) -> None:
    desk.do(three_pots("h", "AB"), reverse("h"), three_pots("i", "AB", replaces="h"), reverse("i"))

    again = desk.do(three_pots("j", "AB", replaces="h"))

    assert [event.hand_id for event in again] == ["j", "i"]
    for named in ("h", "i", "j"):
        assert desk.refuse(three_pots("k", "AB", replaces=named)).reason is Reason.REPLACED_HAND_NOT_REVERSED
    desk.do(reverse("j"), three_pots("k", "AB", replaces="i"))
    assert desk.books.hand("j").replaced_by == "k"


def test_games_do_not_mix(desk: Desk) -> None:
    assert desk.refuse(replace(three_pots("h", "AB"), table_id="九點半")).reason is Reason.WRONG_GAME
    assert desk.refuse(three_pots("h", "AB", "none")).reason is Reason.UNKNOWN_TABLE


def test_books_tell_what_is_not_there(desk: Desk) -> None:
    assert desk.books.account("player/nobody").available == 0
    assert desk.books.level_points("bi_ji", ["A"]) == {"A": 0}
    assert desk.books.available(["A"], {"B": 5}) == {"A": 1000}
