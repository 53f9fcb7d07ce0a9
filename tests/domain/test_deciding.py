"""Commands decided on books filled by hand: what happens, what is refused, and that deciding changes nothing."""

from dataclasses import replace

import pytest

from tests.callers import (
    LOSING_DOOR,
    bet,
    close_table,
    deposit,
    finish,
    lost_bet,
    open_hand,
    open_table,
    register,
    request,
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
    ChangeBanker,
    Command,
    FinishHand,
    Judged,
    MakeChoice,
    OpenHandCommand,
    OpenTable,
    RecordDeal,
    Request,
)
from zhangfang.domain.decide import DECIDERS
from zhangfang.domain.events import BankChanged, ChoiceMade, HandReplaced, HandReversed, HandSettled, HandVoided
from zhangfang.domain.hands import HandState
from zhangfang.errors import Reason, Status
from zhangfang.rules.banking import Bank
from zhangfang.rules.games import GAMES
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuChoice, ErRenDouDiZhuEnding, Word
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, Door, Ending, JiuDianBanRules
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import ShortfallPolicy
from zhangfang.rules.verdict import INT64_MAX, Verdict

SEATS = ("A", "B", "C", "Z")


@pytest.fixture
def desk() -> Desk:
    """Four players with 1000 silver each, a table of 比機 (T) and one of 九點半."""
    opened = Desk(A=1000, B=1000, C=1000, Z=1000)
    opened.do(open_table("T"), open_table("九點半", "jiu_dian_ban", 1))
    return opened


def nine_table(table_id: str, mode: BankerMode, seats: tuple[str, ...] = ()) -> OpenTable:
    rules = JiuDianBanRules(banker_mode=mode)
    return replace(open_table(table_id, "jiu_dian_ban", 1, house_rules=rules), seats=seats)


def change_banker(table_id: str, player_id: str, action: str) -> ChangeBanker:
    asked = request(("bank", table_id, player_id, action))
    return ChangeBanker(request=asked, table_id=table_id, player_id=player_id, action=action)


def choose(hand_id: str, player_id: str, **choice: object) -> MakeChoice:
    """A choice in an open hand of 二人鬥地主."""
    return MakeChoice(
        request=request(("choose", hand_id, player_id, choice)),
        hand_id=hand_id,
        player_id=player_id,
        game="er_ren_dou_di_zhu",
        choice=ErRenDouDiZhuChoice(**choice),  # type: ignore[arg-type]
    )


def deal(hand_id: str, game: str, cards: object) -> RecordDeal:
    return RecordDeal(request=request(("deal", hand_id, cards)), hand_id=hand_id, game=game, deal=cards)


def test_every_command_has_its_decider() -> None:
    kinds = {kind for kind in vars(commands).values() if isinstance(kind, type) and issubclass(kind, Command)}

    assert set(DECIDERS) == kinds - {Command, OpenHandCommand}


def test_a_command_names_what_deciding_it_needs() -> None:
    plain = Command(request=Request("r", b""))
    assert (*plain.player_ids(), *plain.table_ids(), *plain.hand_ids()) == ()

    named = {
        kind: (tuple(command.player_ids()), tuple(command.table_ids()), tuple(command.hand_ids()))
        for kind, command in {
            "register": register("A"),
            "deposit": deposit("A", 1),
            "withdraw": withdraw("A", 1),
            "open_table": nine_table("T", BankerMode.SEATS, SEATS),
            "close_table": close_table("T"),
            "change_banker": change_banker("T", "A", "apply"),
            "open_hand": open_hand("h", "AB", "T"),
            "open_again": open_hand("i", "AB", "T", replaces="h"),
            "bet": bet("h", "A", 1),
            "finish": finish("h"),
            "settle": three_pots("h", "AB"),
            "settle_again": three_pots("i", "AB", replaces="h"),
            "void": void("h"),
            "reverse": reverse("h"),
        }.items()
    }

    assert named == {
        "register": (("A",), (), ()),
        "deposit": (("A",), (), ()),
        "withdraw": (("A",), (), ()),
        "open_table": (SEATS, ("T",), ()),
        "close_table": ((), ("T",), ()),
        "change_banker": (("A",), ("T",), ()),
        "open_hand": (("A", "B"), ("T",), ("h",)),
        "open_again": (("A", "B"), ("T",), ("i", "h")),
        "bet": (("A",), (), ("h",)),
        "finish": ((), (), ("h",)),
        "settle": (("A", "B"), ("T",), ("h",)),
        "settle_again": (("A", "B"), ("T",), ("i", "h")),
        "void": ((), (), ("h",)),
        "reverse": ((), (), ("h",)),
    }


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

    settled = desk.do(replace(command, judged=Judged(verdict, 3, b"as it was judged")))[0]

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


def test_a_hand_piece_by_piece(desk: Desk) -> None:
    desk.do(open_hand("h", "Z"), bet("h", "A", 5), bet("h", "A", 6, Door.XIA), bet("h", "B", 7))
    assert (desk.held("A"), desk.held("B")) == (11, 7)
    desk.do(deal("h", "jiu_dian_ban", LOSING_DOOR))

    finished = desk.do(replace(finish("h"), ending=Ending()))

    assert isinstance(finished[0], HandSettled)
    assert finished[0].holds == (("A", -11), ("B", -7))
    assert (desk.held("A"), desk.held("B")) == (0, 0)
    assert desk.books.hand("h").state is HandState.SETTLED


def test_pieces_that_do_not_fit_are_refused(desk: Desk) -> None:
    desk.do(open_hand("h", "Z"), bet("h", "A", 5))

    refusals = [
        desk.refuse(bet("none", "A", 1)),
        desk.refuse(bet("h", "nobody", 1)),
        desk.refuse(bet("h", "A", 996)),
        desk.refuse(replace(bet("h", "A", 1), game="bi_ji")),
        desk.refuse(deal("h", "jiu_dian_ban", replace(LOSING_DOOR, banker="8s 8s"))),
        desk.refuse(replace(finish("h"), ending=Ending(replace(LOSING_DOOR, banker="8s")))),
        desk.refuse(open_hand("h", "Z")),
        desk.refuse(open_hand("i", "ZA")),
        desk.refuse(open_hand("i", "A", "T")),
        desk.refuse(open_hand("i", "AA", "T")),
    ]
    desk.do(deal("h", "jiu_dian_ban", LOSING_DOOR))
    late = desk.refuse(deal("h", "jiu_dian_ban", LOSING_DOOR))

    assert [refusal.reason for refusal in refusals] == [
        Reason.UNKNOWN_HAND,
        Reason.UNKNOWN_PLAYER,
        Reason.CHOICE_REFUSED,
        Reason.WRONG_GAME,
        Reason.HAND_FAULTY,
        Reason.HAND_FAULTY,
        Reason.HAND_EXISTS,
        Reason.INVALID_FIELD,
        Reason.INVALID_FIELD,
        Reason.INVALID_FIELD,
    ]
    assert late.reason is Reason.CHOICE_REFUSED


def test_dz_30__a_choice_that_ends_the_hand_settles_it_at_once(desk: Desk) -> None:
    desk.do(
        open_table("D", "er_ren_dou_di_zhu", 10), open_hand("h", "AB", "D"), deal("h", "er_ren_dou_di_zhu", HAND.deal)
    )
    desk.do(choose("h", "A", word=Word.CALL))

    events = desk.do(choose("h", "B", escape=True))

    assert [type(event) for event in events] == [ChoiceMade, HandSettled]
    assert desk.silver("A") == [1000]
    assert desk.silver("B")[0] < 1000


def test_dz_3__a_choice_with_which_nobody_called_voids_the_hand(desk: Desk) -> None:
    desk.do(
        open_table("D", "er_ren_dou_di_zhu", 10), open_hand("h", "AB", "D"), deal("h", "er_ren_dou_di_zhu", HAND.deal)
    )
    desk.do(choose("h", "A", word=Word.PASS))

    events = desk.do(choose("h", "B", word=Word.PASS))

    assert [type(event) for event in events] == [ChoiceMade, HandVoided]
    assert events[1].judgement  # type: ignore[attr-defined]
    assert desk.silver("A", "B") == [1000, 1000]


def test_dz__a_whole_hand_piece_by_piece_ends_with_its_plays(desk: Desk) -> None:
    desk.do(
        open_table("D", "er_ren_dou_di_zhu", 10), open_hand("h", "AB", "D"), deal("h", "er_ren_dou_di_zhu", HAND.deal)
    )
    desk.do(choose("h", "A", word=Word.CALL), choose("h", "B", word=Word.DECLINE), choose("h", "A", rang_xian=False))
    ending = ErRenDouDiZhuEnding(plays=HAND.plays)

    desk.do(FinishHand(request=request("end"), hand_id="h", game="er_ren_dou_di_zhu", ending=ending))

    in_one_go = Desk(A=1000, B=1000)
    in_one_go.do(open_table("D", "er_ren_dou_di_zhu", 10))
    in_one_go.do(settle("h", "D", "er_ren_dou_di_zhu", change(HAND, players=("A", "B"))))
    assert desk.silver("A", "B") == in_one_go.silver("A", "B")


def test_an_ended_hand_takes_nothing_more(desk: Desk) -> None:
    desk.do(open_hand("h", "Z"), bet("h", "A", 5), finish("h"), open_hand("i", "Z"), void("i"))

    assert desk.refuse(finish("h")).reason is Reason.HAND_NOT_OPEN
    assert desk.refuse(void("h")).reason is Reason.HAND_NOT_OPEN
    assert desk.refuse(void("i")).reason is Reason.HAND_VOIDED
    assert desk.refuse(lost_bet("i", "A", "Z", 1)).reason is Reason.HAND_VOIDED


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
    freed = desk.do(reverse("i"))

    assert isinstance(reversed_hand, HandReversed)
    assert reversed_hand.level_points == (("B", -1),)
    assert [type(event) for event in again] == [HandSettled, HandReplaced]
    assert [event.TOPIC for event in freed] == ["HandReversed", "HandReplaced"]
    assert desk.silver("A", "B", "C") == [1000, 1000, 1000]
    assert desk.refuse(reverse("i")).reason is Reason.HAND_ALREADY_REVERSED


def test_cm_11__what_becomes_nothing_gives_free_what_it_replaced(desk: Desk) -> None:
    redeal = change(HAND, players=("A", "B"), auction=say("pass pass"), rang_xian=None, plays=())
    desk.do(open_table("D", "er_ren_dou_di_zhu", 10), lost_bet("h", "A", "Z", 5), reverse("h"))

    voided = desk.do(settle("i", "D", "er_ren_dou_di_zhu", redeal, replaces="h"))
    opened = desk.do(open_hand("j", "Z", replaces="h"))
    replaced = desk.books.hand("h").replaced_by
    given_up = desk.do(void("j"))

    assert [type(event) for event in voided] == [HandVoided]
    assert isinstance(opened[1], HandReplaced)
    assert replaced == "j"
    assert isinstance(given_up[1], HandReplaced)
    assert desk.books.hand("h").replaced_by == ""


def test_games_do_not_mix(desk: Desk) -> None:
    assert desk.refuse(replace(three_pots("h", "AB"), table_id="九點半")).reason is Reason.WRONG_GAME
    assert desk.refuse(three_pots("h", "AB", "none")).reason is Reason.UNKNOWN_TABLE


def test_jd_13__the_bank_goes_along_the_seats_of_its_table(desk: Desk) -> None:
    desk.do(nine_table("U", BankerMode.SEATS, SEATS))
    assert desk.books.table("U").bank == Bank("A", seats=SEATS)
    not_his_turn = desk.refuse(lost_bet("h", "A", "Z", 1, "U"))

    opened = desk.do(open_hand("h", "A", "U"))
    meanwhile = desk.refuse(open_hand("i", "A", "U"))
    voided = desk.do(void("h"))
    kept = desk.do(lost_bet("j", "B", "A", 1, "U"))

    assert not_his_turn.reason is meanwhile.reason is Reason.BANKER_REFUSED
    assert isinstance(opened[-1], BankChanged)
    assert isinstance(voided[-1], BankChanged)
    assert kept[0].hand_id == "j"
    assert desk.books.table("U").bank is not None


def test_jd_14__the_bank_goes_along_the_list_of_its_table(desk: Desk) -> None:
    rich = Desk(A=10**9, B=10**9, C=5)
    rich.do(nine_table("U", BankerMode.QUEUE), open_table("T"), nine_table("W", BankerMode.SEATS))
    assert rich.refuse(change_banker("none", "A", "apply")).reason is Reason.UNKNOWN_TABLE
    assert rich.refuse(change_banker("U", "nobody", "apply")).reason is Reason.UNKNOWN_PLAYER
    assert rich.refuse(change_banker("T", "A", "apply")).reason is Reason.BANKER_REFUSED
    assert rich.refuse(change_banker("W", "A", "apply")).reason is Reason.BANKER_REFUSED
    assert rich.refuse(change_banker("U", "A", "leave")).reason is Reason.BANKER_REFUSED

    rich.do(change_banker("U", "A", "apply"), change_banker("U", "B", "apply"))
    rich.do(open_hand("h", "A", "U"), change_banker("U", "A", "step_down"), bet("h", "B", 5), finish("h"))

    bank = rich.books.table("U").bank
    assert bank is not None
    assert bank.banker == "B"
    rich.do(close_table("U"))
    assert rich.refuse(change_banker("U", "A", "apply")).reason is Reason.TABLE_CLOSED


def test_seats_that_are_none_are_refused(desk: Desk) -> None:
    assert desk.refuse(nine_table("U", BankerMode.SEATS, ("A", "B"))).reason is Reason.HAND_FAULTY


def test_books_tell_what_is_not_there(desk: Desk) -> None:
    assert desk.books.account("player/nobody").available == 0
    assert desk.books.level_points("bi_ji", ["A"]) == {"A": 0}
    assert desk.books.available(["A"], {"B": 5}) == {"A": 1000}
