"""What a reference line of the money layer may hold, before anything of it is judged.

A typed message cannot hold a setting nobody knows, a policy nobody knows or a number that is no int64; a line of JSON
can. Each of them is the fault that the format names for it.
"""

from enum import Enum, StrEnum
from typing import Any

from zhangfang.rules.game import unknown_value
from zhangfang.rules.levels import WEALTH_LADDERS, PointsPerWin
from zhangfang.rules.payment import MoneyRules, ShortfallPolicy
from zhangfang.rules.verdict import Ended, Fault, Faults, is_int64

FIELDS = frozenset({"game", "kind", "seats", "balances", "obligations", "ended", "events", "silver"})
SETTINGS = frozenset({"shortfall", "table_fee", "rake_per_mille", "points_per_win", "titles", "level_points"})
STAKE_SETTINGS = frozenset({"stake_mode", "stake"})
KNOWN_NAMES = FIELDS | SETTINGS | STAKE_SETTINGS


def check_fields(hand: dict[str, Any]) -> Faults:
    """Refuse what no typed message can hold; numbers are looked at only if there is no other fault."""
    return check_names(hand) or check_numbers(hand)[:1]


def check_names(hand: dict[str, Any]) -> Faults:
    """Refuse settings and policies that do not exist. Rule: CM-4."""
    faults = [unknown(name, hand[name], "no such setting") for name in hand if name not in KNOWN_NAMES]
    if hand.get("titles", "bi_ji") not in WEALTH_LADDERS:
        faults.append(unknown("titles", hand["titles"], ", ".join(WEALTH_LADDERS)))
    fractions = [name for name in ("table_fee", "rake_per_mille") if name in hand and type(hand[name]) is not int]
    endings = [place["ended"] for place in (hand, *hand.get("events", [])) if "ended" in place]
    faults += [unknown(name, hand[name], "whole numbers") for name in fractions]
    faults += [unknown("ended", ended, Ended) for ended in endings if ended not in Ended.__members__]
    return tuple(faults)


def check_numbers(hand: dict[str, Any]) -> Faults:
    """Refuse amounts that are no int64; how large an obligation may be is judged with the obligations. Rule: CM-1."""
    numbers: list[tuple[str, Any]] = [(name, hand[name]) for name in ("stake", "silver") if name in hand]
    for name in ("balances", "level_points"):
        amounts = hand.get(name, {})
        numbers += [(name, amount) for amount in (amounts.values() if isinstance(amounts, dict) else [amounts])]
    faults = [(name, number) for name, number in numbers if type(number) is not int or not is_int64(number)]
    for place in (hand, *hand.get("events", [])):
        faults += [("obligations", amount) for *_, amount in place.get("obligations", []) if type(amount) is not int]
    return tuple([Fault(rule="CM-1", text=f"{name} holds {number}, which is no int64") for name, number in faults])


def read_money_rules(settings: dict[str, Any]) -> MoneyRules:
    """Read the money rules of a line; what is not said is the default."""
    default = MoneyRules()
    return MoneyRules(
        shortfall=read_enum(ShortfallPolicy, settings.get("shortfall", default.shortfall)),
        table_fee=settings.get("table_fee", default.table_fee),
        rake_per_mille=settings.get("rake_per_mille", default.rake_per_mille),
        points_per_win=read_enum(PointsPerWin, settings.get("points_per_win", default.points_per_win)),
    )


def read_enum(names: type[StrEnum], text: Any) -> Any:
    """Read a policy's name; one that nobody knows stays the text it is."""
    return names[text] if isinstance(text, str) and text in names.__members__ else text


def unknown(name: str, value: object, allowed: type[Enum] | str) -> Fault:
    """Say that a setting has a value nobody knows. Rule: CM-4."""
    return Fault(rule="CM-4", text=unknown_value(name, value, allowed), field=name)
