"""Players, tables, hands, silver and the log, as the command line shows them."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Zhangfang
from tests.dealer import Dealer, new_id
from tests.pieces import opening_players, take_apart
from tests.samples import SAMPLES
from tests.serving import RunningServer
from zhangfang.cli.printing import to_json
from zhangfang.wire.v1.settlement_pb2 import Deal, Ending


def lines(text: str) -> list[Any]:
    """JSON lines, read."""
    return [json.loads(line) for line in text.splitlines()]


def test_a_player_is_registered_funded_and_shown_with_his_levels(zhangfang: Zhangfang) -> None:
    player_id = new_id("阿明")

    registered = zhangfang("player", "register", player_id, "--name", "阿明 [bold]")
    deposited = zhangfang("deposit", player_id, "1500", "--note", "welcome")
    withdrawn = zhangfang("withdraw", player_id, "500")
    shown = zhangfang("player", "get", player_id)

    assert [each.exit_code for each in (registered, deposited, withdrawn, shown)] == [0, 0, 0, 0]
    assert "1,500" in deposited.stdout
    assert "-500" in withdrawn.stdout
    assert "阿明 [bold]" in shown.stdout
    assert "1,000" in shown.stdout
    assert "財富等級" in shown.stdout


def test_a_deposit_repeated_under_its_request_id_is_made_once(zhangfang: Zhangfang, dealer: Dealer) -> None:
    [player_id] = dealer.players(1)
    request_id = new_id("till")

    first = zhangfang("deposit", player_id, "100", "--request-id", request_id, "--json")
    second = zhangfang("deposit", player_id, "100", "--request-id", request_id, "--json")

    assert first.stdout == second.stdout
    assert dealer.balance(player_id) == 100


def test_players_are_listed_one_json_line_each(zhangfang: Zhangfang, dealer: Dealer) -> None:
    dealer.players(2)

    limited = zhangfang("player", "list", "--json", "--limit", "2")
    as_table = zhangfang("player", "list")

    assert len(lines(limited.stdout)) == 2
    assert "player" in as_table.stdout


def test_a_table_is_opened_by_options_or_by_a_file(zhangfang: Zhangfang) -> None:
    by_options, by_file = new_id("table"), new_id("table")

    first = zhangfang("open-table", "--table", by_options, "--game", "bi_ji", "--stake", "5", "--shortfall", "owe")
    request = {"tableId": by_file, "stake": "7", "rules": {"biJi": {"lateLayout": "LATE_LAYOUT_AUTO"}}}
    second = zhangfang("open-table", json.dumps(request))
    closed = zhangfang("close-table", by_options, "--json")
    shown = zhangfang("table", by_file)
    listed = zhangfang("tables", "--state", "closed", "--json")

    assert first.exit_code == second.exit_code == 0
    assert "owe" in first.stdout
    assert "AUTO" in shown.stdout
    assert json.loads(closed.stdout)["table"]["state"] == "STATE_CLOSED"
    assert by_options in [each["tableId"] for each in lines(listed.stdout)]
    assert by_file in zhangfang("tables", "--game", "bi_ji").stdout


def test_a_table_of_no_game_is_a_usage_error(zhangfang: Zhangfang) -> None:
    result = zhangfang("open-table", "--table", "t", "--game", "chess", "--stake", "1")

    assert result.exit_code == 2
    assert "'chess' is no game" in result.stderr


def test_the_cards_that_the_seats_drew_say_who_banks_first(zhangfang: Zhangfang, dealer: Dealer) -> None:
    table_id, seats = new_id("table"), dealer.players(4, silver=100)
    drawn = zip(seats, ("Qs", "Kh", "Ks", "Ac"), strict=True)
    options = [word for seat, card in drawn for word in ("--seat", seat, "--draw", card)]

    result = zhangfang("open-table", "--table", table_id, "--game", "jiu_dian_ban", "--stake", "1", *options, "--json")

    assert json.loads(result.stdout)["table"]["bank"]["banker"] == seats[2]


def test_the_bank_of_a_table_passes_on(zhangfang: Zhangfang, dealer: Dealer) -> None:
    table_id = new_id("table")
    [player_id] = dealer.players(1, silver=100)
    rules = {"jiuDianBan": {"bankerMode": "BANKER_MODE_QUEUE"}}
    zhangfang("open-table", json.dumps({"tableId": table_id, "stake": "1", "rules": rules}))

    result = zhangfang("bank", table_id, player_id, "apply")
    again = zhangfang("bank", table_id, player_id, "apply", "--json")

    assert result.exit_code == 0
    assert player_id in result.stdout
    assert again.exit_code == 1
    assert "JD-14" in again.stderr


@pytest.mark.parametrize("game", tuple(SAMPLES))
def test_a_hand_comes_piece_by_piece(game: str, zhangfang: Zhangfang, dealer: Dealer) -> None:
    sample = SAMPLES[game][0]
    table_id, prefix = dealer.seat(sample)
    hand_id = new_id("hand")
    players = [word for player in opening_players(sample, prefix) for word in ("--player", player)]

    results = [zhangfang("open-hand", hand_id, "--table", table_id, *players)]
    for piece in take_apart(sample, prefix):
        match piece:
            case Deal():
                results.append(zhangfang("deal", hand_id, to_json(piece)))
            case Ending():
                results.append(zhangfang("finish", hand_id, to_json(piece), "--json"))
            case (player_id, choice):
                results.append(zhangfang("choose", "--", hand_id, player_id, to_json(choice)))

    assert [each.stderr for each in results] == [""] * len(results)
    assert "phase" in results[0].stdout
    assert json.loads(results[-1].stdout)["hand"]["state"] == "HAND_STATE_SETTLED"


def test_a_hand_is_shown_with_cards_steps_and_postings(zhangfang: Zhangfang, dealer: Dealer) -> None:
    hand = dealer.settle(SAMPLES["ban_bian_tian_zha"][0])

    shown = zhangfang("hand", hand.hand_id)
    as_json = zhangfang("hand", hand.hand_id, "--json")

    for step in hand.judgement.steps:
        assert step.text in shown.stdout
        assert step.text_zh in shown.stdout
    assert "♣" in shown.stdout
    assert "大王" in shown.stdout
    assert json.loads(as_json.stdout)["hand"]["handId"] == hand.hand_id


def test_hands_are_listed_by_filter(zhangfang: Zhangfang, dealer: Dealer) -> None:
    hand = dealer.settle(SAMPLES["bi_ji"][0])

    found = zhangfang("hands", "--table", hand.table_id, "--state", "settled", "--json")
    none = zhangfang("hands", "--table", hand.table_id, "--before", "2000-01-01T00:00:00Z", "--json")
    as_table = zhangfang("hands", "--limit", "1")

    assert [each["handId"] for each in lines(found.stdout)] == [hand.hand_id]
    assert none.stdout == ""
    assert "settled" in as_table.stdout
    assert "position" not in as_table.stdout  # a list does not have it


def test_a_statement_has_all_pages_and_takes_filters(zhangfang: Zhangfang, dealer: Dealer) -> None:
    [player_id] = dealer.players(1)
    for amount in range(1, 6):
        dealer.deposit(player_id, amount)

    whole = zhangfang("statement", player_id, "--json")
    limited = zhangfang("statement", f"player/{player_id}", "--limit", "2", "--kind", "deposit", "--json")
    as_table = zhangfang("statement", player_id)

    assert [each["amount"] for each in lines(whole.stdout)] == ["5", "4", "3", "2", "1"]
    assert [each["amount"] for each in lines(limited.stdout)] == ["5", "4"]
    assert "Statement 對帳單" in as_table.stdout


def test_pages_are_fetched_until_the_last(
    server: RunningServer, dealer: Dealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zhangfang.cli import connection
    from zhangfang.wire.v1.accounts_pb2 import ListEntriesRequest

    [player_id] = dealer.players(1)
    for amount in range(1, 6):
        dealer.deposit(player_id, amount)
    monkeypatch.setattr(connection, "PAGE_SIZE", 2)
    house = connection.connect(server.target)

    with house.channel:
        request = ListEntriesRequest(account=f"player/{player_id}")
        found = [each.amount for each in house.pages(house.accounts.ListEntries, request, "entries")]

    assert found == [5, 4, 3, 2, 1]


def test_a_balance_is_shown_now_and_as_it_was(zhangfang: Zhangfang, dealer: Dealer) -> None:
    [player_id] = dealer.players(1)
    first = dealer.deposit(player_id, 10)
    dealer.deposit(player_id, 5)

    now = zhangfang("balance", player_id, "--json")
    then = zhangfang("balance", player_id, "--at-position", str(first.position), "--json")
    at_time = zhangfang("balance", player_id, "--at-time", first.recorded_at.ToJsonString())

    assert json.loads(now.stdout)["balance"] == "15"
    assert json.loads(then.stdout)["balance"] == "10"
    assert "10" in at_time.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("balance", "p", "--at-position", "1", "--at-time", "2026-01-01T00:00:00Z"), id="both as-of"),
        pytest.param(("balance", "p", "--at-time", "2026-01-01T00:00:00"), id="a time without a zone"),
        pytest.param(("hands", "--from", "yesterday"), id="no time"),
        pytest.param(("open-table", "{}", "--game", "bi_ji"), id="a table by file and by options"),
        pytest.param(("open-table", "{}", "--shortfall", "owe"), id="a table by file, its shortfall by an option"),
        pytest.param(("hands", "--state", "lost"), id="no state"),
        pytest.param(("statement", "p", "--kind", "bribe"), id="no kind"),
        pytest.param(("deposit", "p", "9223372036854775808"), id="more than an int64"),
        pytest.param(("choose", "h", "p", "{}", "--nonsense"), id="no option"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(arguments: tuple[str, ...], zhangfang: Zhangfang) -> None:
    assert zhangfang(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        pytest.param(("hand", "nowhere"), "UNKNOWN_HAND", id="unknown hand"),
        pytest.param(("statement", "nobody"), "UNKNOWN_ACCOUNT", id="unknown account"),
        pytest.param(("hands", "--game", "chess"), "INVALID_FIELD", id="unknown game"),
        pytest.param(("log", "--topic", "HandLost"), "INVALID_FIELD", id="unknown topic"),
        pytest.param(("head", "--position", "999999999"), "UNKNOWN_POSITION", id="beyond the log"),
    ],
)
def test_a_refusal_begins_with_its_reason(arguments: tuple[str, ...], reason: str, zhangfang: Zhangfang) -> None:
    result = zhangfang(*arguments)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"{reason}: ")


def test_the_trial_balance_sums_to_zero(zhangfang: Zhangfang, dealer: Dealer) -> None:
    dealer.players(1, silver=10)

    as_json = json.loads(zhangfang("trial-balance", "--players", "--json").stdout)
    as_table = zhangfang("trial-balance").stdout

    assert "balanceSum" not in as_json
    assert "player/*" in as_table


def test_the_log_is_printed_from_its_tail(zhangfang: Zhangfang, dealer: Dealer) -> None:
    [player_id] = dealer.players(1, silver=10)

    last = zhangfang("log", "--tail", "1")
    filtered = zhangfang("log", "--player", player_id, "--topic", "SilverDeposited", "--json", "--stored-bytes")

    assert f"{dealer.position():>8}  " in last.stdout
    assert "SilverDeposited" in last.stdout
    [event] = lines(filtered.stdout)
    assert event["silverDeposited"]["amount"] == "10"
    assert event["storedBytes"]


def test_the_head_is_a_receipt(zhangfang: Zhangfang, dealer: Dealer) -> None:
    dealer.players(1)

    now = zhangfang("head")
    first = zhangfang("head", "--position", "1", "--json")

    assert str(dealer.position()) in now.stdout
    assert json.loads(first.stdout)["position"] == "1"


def test_a_sound_log_is_found_sound(zhangfang: Zhangfang, dealer: Dealer) -> None:
    dealer.settle(SAMPLES["bi_ji"][0])

    result = zhangfang("verify")
    as_json = zhangfang("verify", "--json")

    assert (result.exit_code, as_json.exit_code) == (0, 0)
    assert "The log is sound." in result.stdout
    assert json.loads(as_json.stdout)["finding"]["isSound"] is True
