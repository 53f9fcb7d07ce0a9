"""Every metric of the service, defined here and nowhere else: what operators see and what the reference prints.

No label ever names a player, a hand or a table: labels have a bound that is written beside them.
"""

from zhangfang.metrics_definitions.definition import Definition
from zhangfang.metrics_definitions.house import HANDS, SILVER
from zhangfang.metrics_definitions.service import AUDIT, CALLS, LOG, PROCESS

__all__ = ["DEFINITIONS", "GROUPS", "Definition"]

GROUPS: tuple[tuple[str, tuple[Definition, ...]], ...] = (
    ("Calls", CALLS),
    ("Hands", HANDS),
    ("Silver", SILVER),
    ("Log and writer", LOG),
    ("Audit", AUDIT),
    ("Process", PROCESS),
)

DEFINITIONS: tuple[Definition, ...] = tuple(definition for _, group in GROUPS for definition in group)
