"""AccountService: players and their silver."""

from typing import Any

from zhangfang.api import forms, telling
from zhangfang.api.counter import Counter
from zhangfang.api.render import write_player
from zhangfang.contract import reading
from zhangfang.contract.enums import POSTING_KIND
from zhangfang.contract.times import write_time
from zhangfang.domain.books import Account
from zhangfang.domain.commands import Deposit, RegisterPlayer, Withdraw
from zhangfang.errors import Reason, Refusal, Status, invalid
from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS, is_account, player_account
from zhangfang.ledger.postings import PostingKind
from zhangfang.projections.accounts import read_account
from zhangfang.projections.entries import EntryFilter, read_balance_at, read_entries
from zhangfang.projections.players import read_player, read_players
from zhangfang.store.log import position_at, read_head
from zhangfang.wire.v1 import accounts_pb2 as pb
from zhangfang.wire.v1 import money_pb2
from zhangfang.wire.v1.accounts_pb2_grpc import AccountServiceServicer


class AccountServicer(AccountServiceServicer):
    """Reads requests, hands them over the counter, renders answers; see ``accounts.proto`` for what each call does."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def RegisterPlayer(  # type: ignore[override]
        self, request: pb.RegisterPlayerRequest, context: Any
    ) -> bytes:
        reading.check_id("player_id", request.player_id)
        reading.check_text("display_name", request.display_name, reading.ID_CHARACTERS_MAX)
        command = RegisterPlayer(
            request=forms.read_request(request, context),
            player_id=request.player_id,
            display_name=request.display_name,
        )
        return await self._counter.submit(command, telling.registered_player)

    async def GetPlayer(self, request: pb.GetPlayerRequest, context: Any) -> pb.GetPlayerResponse:
        reading.check_id("player_id", request.player_id)

        def read() -> pb.Player | None:
            with self._counter.house.database.read() as connection:
                row = read_player(connection, request.player_id)
                return write_player(row, *_standing(connection, row.player_id)) if row else None

        player = await self._counter.read(read)
        if player is None:
            raise Refusal(
                Status.NOT_FOUND,
                Reason.UNKNOWN_PLAYER,
                f"player {request.player_id!r} is not registered",
                {"player_id": request.player_id},
            )
        return pb.GetPlayerResponse(player=player)

    async def ListPlayers(self, request: pb.ListPlayersRequest, context: Any) -> pb.ListPlayersResponse:
        size, after = forms.read_page_size(request.page_size), forms.read_page_token(request, str) or ""

        def read() -> tuple[list[pb.Player], bool]:
            with self._counter.house.database.read() as connection:
                rows = read_players(connection, after, size + 1)
                players = [write_player(row, *_standing(connection, row.player_id)) for row in rows[:size]]
            return players, len(rows) > size

        players, has_more = await self._counter.read(read)
        token = forms.write_page_token(request, players[-1].player_id) if has_more else ""
        return pb.ListPlayersResponse(players=players, next_page_token=token)

    async def Deposit(self, request: pb.DepositRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._counter.submit(Deposit(**_read_transfer(request, context)), telling.deposit)

    async def Withdraw(self, request: pb.WithdrawRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._counter.submit(Withdraw(**_read_transfer(request, context)), telling.withdrawal)

    async def GetBalance(self, request: pb.GetBalanceRequest, context: Any) -> pb.GetBalanceResponse:
        check_account(request.account)
        as_of = request.WhichOneof("as_of")
        if as_of == "position" and request.position < 0:
            raise invalid("position", f"is {request.position}; it must be 0 or more")
        moment = forms.read_moment("time", request.time) if as_of == "time" else 0

        def read() -> pb.GetBalanceResponse:
            with self._counter.house.database.read() as connection:
                account, _ = _known(connection, request.account)
                last = read_head(connection).position
                if as_of is None:
                    return pb.GetBalanceResponse(
                        account=request.account, balance=account.balance, held=account.held, position=last
                    )
                position = position_at(connection, moment) if as_of == "time" else request.position
                if position > last:
                    raise Refusal(
                        Status.NOT_FOUND,
                        Reason.UNKNOWN_POSITION,
                        f"the log ends at position {last}; {position} is not written yet",
                        {"position": str(position), "last_position": str(last)},
                    )
                balance = read_balance_at(connection, request.account, position)
                return pb.GetBalanceResponse(account=request.account, balance=balance, position=position)

        return await self._counter.read(read)

    async def ListEntries(self, request: pb.ListEntriesRequest, context: Any) -> pb.ListEntriesResponse:
        check_account(request.account)
        wanted = _read_entry_filter(request)
        size, before = forms.read_page_size(request.page_size), forms.read_page_token(request, int, int)

        def read() -> Any:
            with self._counter.house.database.read() as connection:
                _known(connection, request.account)
                return read_entries(connection, request.account, wanted, before, size + 1)

        rows = await self._counter.read(read)
        has_more = len(rows) > size
        token = forms.write_page_token(request, rows[size - 1].position, rows[size - 1].line) if has_more else ""
        return pb.ListEntriesResponse(entries=[_write_entry(row) for row in rows[:size]], next_page_token=token)


def check_account(account: str) -> None:
    """The name of an account."""
    reading.check_text("account", account, reading.ID_CHARACTERS_MAX + len(player_account("")))
    if not is_account(account):
        raise invalid("account", f"{account!r} is no account; use player/<id> or one of {', '.join(SYSTEM_ACCOUNTS)}")


def _known(connection: Any, account: str) -> tuple[Account, int]:
    found = read_account(connection, account)
    if found is None and account not in SYSTEM_ACCOUNTS:
        raise Refusal(
            Status.NOT_FOUND, Reason.UNKNOWN_ACCOUNT, f"there is no account {account!r}", {"account": account}
        )
    return found or (Account(), 0)


def _standing(connection: Any, player_id: str) -> tuple[Account, int]:
    return read_account(connection, player_account(player_id)) or (Account(), 0)


def _read_transfer(request: Any, context: Any) -> dict[str, Any]:
    reading.check_id("player_id", request.player_id)
    forms.check_amount("amount", request.amount)
    reading.check_text("note", request.note, 200)
    return {
        "request": forms.read_request(request, context),
        "player_id": request.player_id,
        "amount": request.amount,
        "note": request.note,
    }


def _read_entry_filter(request: pb.ListEntriesRequest) -> EntryFilter:
    for field in ("table_id", "hand_id"):
        reading.check_text(field, getattr(request, field), reading.ID_CHARACTERS_MAX)
    kind: PostingKind | None = POSTING_KIND.to_word.get(request.kind)
    if request.kind and kind is None:
        raise invalid("kind", f"is {request.kind}; it must be one of {', '.join(money_pb2.PostingKind.keys()[1:])}")
    has_from, has_before = request.HasField("recorded_from"), request.HasField("recorded_before")
    return EntryFilter(
        recorded_from_us=forms.read_moment("recorded_from", request.recorded_from) if has_from else None,
        recorded_before_us=forms.read_moment("recorded_before", request.recorded_before) if has_before else None,
        table_id=request.table_id,
        hand_id=request.hand_id,
        kind=kind,
    )


def _write_entry(row: Any) -> pb.Entry:
    return pb.Entry(
        position=row.position,
        account=row.account,
        amount=row.amount,
        balance_after=row.balance_after,
        kind=POSTING_KIND.to_wire[PostingKind(row.kind)],
        hand_id=row.hand_id,
        table_id=row.table_id,
        recorded_at=write_time(row.recorded_at_us),
    )
