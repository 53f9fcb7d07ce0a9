"""How one game's messages and values are translated.

Reading is total: a message that says something impossible (an enum value nobody knows, a seat that does not exist)
becomes a value that the rules will find faulty at its place, never an exception.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from zhangfang.rules.game import Game


@dataclass(frozen=True, slots=True)
class Codec:
    """One game's translations; ``game.name`` is also the field of every ``oneof game`` that carries its messages.

    ``read_*`` take the game's message and return the game's value; ``write_*`` the other way. Writing what was read
    gives an equal message for every legal value.
    """

    game: Game
    read_rules: Callable[[Any], Any]
    write_rules: Callable[[Any], Message]
    read_hand: Callable[[Any], Any]
    write_hand: Callable[[Any], Message]
    read_deal: Callable[[Any], Any]
    write_deal: Callable[[Any], Message]
    read_choice: Callable[[Any], Any]
    write_choice: Callable[[Any], Message]
    read_ending: Callable[[Any], Any]
    write_ending: Callable[[Any], Message]
    write_outcome: Callable[[Any], Message]
