"""Hands that arrive piece by piece, decided on books filled by hand."""

from dataclasses import replace

from tests.callers import (
    LOSING_DOOR,
    bet,
    finish,
    lost_bet,
    open_hand,
    open_table,
    request,
    settle,
    void,
)
from tests.domain.desk import Desk
from tests.rules.er_ren_dou_di_zhu.table import HAND, change
from zhangfang.domain.commands import (
    FinishHand,
    MakeChoice,
    RecordDeal,
)
from zhangfang.domain.events import ChoiceMade, HandSettled, HandVoided
from zhangfang.domain.hands import HandState
from zhangfang.errors import Reason
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuChoice, ErRenDouDiZhuEnding, Word
from zhangfang.rules.games.jiu_dian_ban.record import Door, Ending


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
