"""The bank of a 九點半 table: along its four seats, or along the list (上莊列表). Rule: JD-12 … JD-14."""

from collections.abc import Mapping

from zhangfang.rules.banking import Bank
from zhangfang.rules.games.jiu_dian_ban import bankers
from zhangfang.rules.games.jiu_dian_ban.bankers import BankerQueue, next_banker
from zhangfang.rules.games.jiu_dian_ban.record import BankerMode, JiuDianBanHand, JiuDianBanRules
from zhangfang.rules.games.jiu_dian_ban.settlement import JiuDianBanOutcome
from zhangfang.rules.verdict import Fault, Faults

SEATS = 4


def begin(rules: JiuDianBanRules, seats: tuple[str, ...], draws: tuple[str, ...] = ()) -> Bank | Faults | None:
    """An empty list, or four seats of which the highest drawn card banks first, without draws the first seat.

    None at a SEATS table without seats: every hand names its banker. Rule: JD-12, JD-13, JD-14.

    >>> begin(JiuDianBanRules(), ("A", "B", "C", "D"), ("Kh", "Ks", "Ah", "Qs")).banker
    'B'
    """
    if draws and len(draws) != len(seats):
        text = f"{len(draws)} cards are drawn by {len(seats)} seats; every seat draws one, or none does"
        return (Fault(rule="JD-12", section="draws", field="draws", text=text),)
    if rules.banker_mode is BankerMode.QUEUE:
        if seats:
            return (_seats_fault("seats are named, but the list decides with banker_mode QUEUE; name none"),)
        return Bank()
    if not seats:
        return None
    if len(seats) != SEATS or len(set(seats)) != SEATS:
        return (_seats_fault(f"the seats are {', '.join(seats)}; they are {SEATS} different players, or none"),)
    first = bankers.first_banker(list(zip(seats, draws, strict=True))) if draws else seats[0]
    return Bank(first, seats=seats) if isinstance(first, str) else first


def change(bank: Bank, rules: JiuDianBanRules, player: str, action: str, silver: Mapping[str, int]) -> Bank | Fault:
    """A player applies, leaves or steps down. Rule: JD-14."""
    if rules.banker_mode is not BankerMode.QUEUE:
        text = f"{player} cannot {action}: with banker_mode SEATS the bank goes along the seats by itself"
        return Fault(rule="JD-13", player=player, section="events", text=text)
    queue = _queue_of(bank)
    if action == "apply":
        changed = bankers.apply(queue, player, silver.get(player, 0))
    elif action == "leave":
        changed = bankers.leave(queue, player)
    else:
        changed = bankers.step_down(queue, player)
    return changed if isinstance(changed, Fault) else _bank_of(changed)


def open_hand(bank: Bank, rules: JiuDianBanRules, banker: str, silver: Mapping[str, int]) -> Bank | Fault:
    """A hand begins; a banker without silver has passed the bank on before. Rule: JD-13, JD-14."""
    if rules.banker_mode is BankerMode.QUEUE:
        opened = bankers.open_hand(_queue_of(bank), silver)
        if isinstance(opened, Fault):
            return opened
        return _bank_of(opened) if banker == opened.banker else _not_banker("JD-14", banker, opened.banker or "")
    if bank.is_hand_open:
        text = f"{banker} opens a hand while another of {bank.banker} is running; one hand runs at a time"
        return Fault(rule="JD-13", player=banker, section="events", text=text)
    expected = _seat_with_silver(bank.banker, bank.seats, silver)
    if banker != expected:
        return _not_banker("JD-13", banker, expected)
    return Bank(expected, seats=bank.seats, is_hand_open=True)


def close_hand(
    bank: Bank, rules: JiuDianBanRules, outcome: JiuDianBanOutcome | None, silver: Mapping[str, int]
) -> Bank:
    """A hand ends: the bank stays, or passes on. Rule: JD-13, JD-14."""
    if rules.banker_mode is BankerMode.QUEUE:
        closed = bankers.close_hand(_queue_of(bank), silver)
        if isinstance(closed, Fault):
            raise AssertionError(closed.text)
        return _bank_of(closed)
    steps_down = outcome is not None and outcome.banker_beaten_by_all
    banker = next_banker(bank.banker, bank.seats, steps_down=steps_down)
    return Bank(_seat_with_silver(banker, bank.seats, silver), seats=bank.seats)


def banker_of(record: JiuDianBanHand) -> str:
    """Who banks a hand."""
    return record.banker


def _seat_with_silver(banker: str, seats: tuple[str, ...], silver: Mapping[str, int]) -> str:
    """The banker, or the first seat after him that has silver; he himself if none has."""
    start = seats.index(banker)
    for step in range(SEATS):
        seat = seats[(start + step) % SEATS]
        if silver.get(seat, 0) > 0:
            return seat
    return banker


def _queue_of(bank: Bank) -> BankerQueue:
    return BankerQueue(bank.queue, bank.is_hand_open, bank.is_stepping_down)


def _bank_of(queue: BankerQueue) -> Bank:
    return Bank(
        queue.banker or "", queue=queue.players, is_stepping_down=queue.steps_down, is_hand_open=queue.is_hand_open
    )


def _not_banker(rule: str, banker: str, expected: str) -> Fault:
    text = f"{banker} would bank, but it is the turn of {expected}"
    return Fault(rule=rule, player=banker, section="events", text=text)


def _seats_fault(text: str) -> Fault:
    return Fault(rule="JD-1", section="seats", field="seats", text=text)
