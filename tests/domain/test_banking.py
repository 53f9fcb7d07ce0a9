"""The bank of a table passed on, and what commands name, decided on books filled by hand."""

from dataclasses import replace

from tests.callers import (
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
    three_pots,
    void,
    withdraw,
)
from tests.domain.desk import Desk
from zhangfang.domain.commands import (
    ChangeBanker,
    Command,
    OpenTable,
    Request,
)
from zhangfang.domain.events import BankChanged
from zhangfang.errors import Reason
from zhangfang.rules.banking import Bank
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, JiuDianBanRules

SEATS = ("A", "B", "C", "Z")


def nine_table(table_id: str, mode: BankerMode, seats: tuple[str, ...] = ()) -> OpenTable:
    rules = JiuDianBanRules(banker_mode=mode)
    return replace(open_table(table_id, "jiu_dian_ban", 1, house_rules=rules), seats=seats)


def change_banker(table_id: str, player_id: str, action: str) -> ChangeBanker:
    asked = request(("bank", table_id, player_id, action))
    return ChangeBanker(request=asked, table_id=table_id, player_id=player_id, action=action)


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
