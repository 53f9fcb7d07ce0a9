"""How the domain declares its values: frozen for the type checker, plain for the interpreter.

``@dataclass(frozen=True)`` guards every field while an instance is made, which costs five microseconds for an event of
sixteen fields: as much as deciding what it says. The type checker sees to it instead that nobody changes one.
"""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True)
def value(kind: type[Kind]) -> type[Kind]:
    """Makes a dataclass whose instances are never changed."""
    return dataclass(slots=True, unsafe_hash=True)(kind)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def named_value(kind: type[Kind]) -> type[Kind]:
    """As ``value``, made with keywords only."""
    return dataclass(slots=True, unsafe_hash=True, kw_only=True)(kind)
