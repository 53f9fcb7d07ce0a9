"""The two ladders of a player: what he owns makes his 財富等級, what he won makes his 玩家級別.

九點半 and 比機 each have a set of titles, read once from ``levels.csv``; the other two games have none. ``titles`` is
the name of the game whose titles are meant.

>>> wealth_level("jiu_dian_ban", 450).title
'正式工'
>>> player_level("bi_ji", 99).next_threshold
100

Rule: CM-9 (stakes by wealth), CM-10 (levels and level points).
Source: seed of 九點半, 級別參考; seed of 比機, 游戏等级; points by win: house.
"""

import csv
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources

from zhangfang.rules.game import unknown_value
from zhangfang.rules.verdict import INT64_MAX, Fault, Faults, is_int64


class StakeMode(StrEnum):
    """How a table's stake is found. Rule: CM-9."""

    FIXED = "FIXED"
    BY_WEALTH = "BY_WEALTH"


class PointsPerWin(StrEnum):
    """Whether the winners of a hand gain level points. Rule: CM-10."""

    LEVEL_BASE = "LEVEL_BASE"
    NONE = "NONE"


@dataclass(frozen=True, slots=True)
class Level:
    """A player's place on a ladder.

    ``threshold`` is where the level begins and ``next_threshold`` where the next one does (None at the top), in silver
    or in level points; ``missing`` is how much lies between the player and the next level, 0 at the top. ``base`` is
    the 基本銀子 of a wealth level or the 基礎分 of a player level.
    """

    title: str
    threshold: int
    base: int
    next_threshold: int | None
    missing: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """Titles with the amount each begins at and its base, lowest first."""

    titles: tuple[str, ...]
    thresholds: tuple[int, ...]
    bases: tuple[int, ...]

    def rung_of(self, amount: int) -> int:
        """Find the 0-based rung an amount stands on; who is below zero stands on the lowest."""
        return max(bisect_right(self.thresholds, amount) - 1, 0)

    def level_of(self, amount: int) -> Level:
        """Describe the rung an amount stands on, and the way to the next one."""
        rung = self.rung_of(amount)
        following = self.thresholds[rung + 1 : rung + 2]
        next_threshold = following[0] if following else None
        # A debt near -2^63 is further from the next level than an amount can say.
        missing = 0 if next_threshold is None else min(next_threshold - amount, INT64_MAX)
        return Level(self.titles[rung], self.thresholds[rung], self.bases[rung], next_threshold, missing)

    def base_of(self, amount: int) -> int:
        """Find the base of the rung an amount stands on."""
        return self.bases[self.rung_of(amount)]


def read_ladders(kind: str) -> dict[str, Ladder]:
    """Read the ladders of one kind (``wealth`` or ``player``) from ``levels.csv``, by game."""
    table = resources.files("zhangfang.rules").joinpath("levels.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(table.splitlines()) if row["kind"] == kind]
    ladders = {}
    for game in dict.fromkeys(row["game"] for row in rows):
        rungs = [(row["title"], int(row["from"]), int(row["base"])) for row in rows if row["game"] == game]
        ladders[game] = Ladder(*zip(*rungs, strict=True))
    return ladders


WEALTH_LADDERS = read_ladders("wealth")
PLAYER_LADDERS = read_ladders("player")


def has_levels(game: str) -> bool:
    """Whether a game has titles, and so tables whose stake goes by wealth. Rule: CM-9, CM-10."""
    return game in WEALTH_LADDERS


def wealth_level(titles: str, silver: int) -> Level:
    """Find the 財富等級 of a balance; one below zero has the lowest level. Rule: CM-9, CM-10.

    Raises:
        KeyError: for a game without levels.
    """
    return WEALTH_LADDERS[titles].level_of(silver)


def player_level(titles: str, level_points: int) -> Level:
    """Find the 玩家級別 of a count of level points. Rule: CM-10.

    Raises:
        KeyError: for a game without levels.
    """
    return PLAYER_LADDERS[titles].level_of(level_points)


def stake_by_wealth(titles: str, balances: Iterable[int]) -> int:
    """Find the stake: the lowest 基本銀子 among the wealth levels of those who sit. Rule: CM-9.

    >>> stake_by_wealth("bi_ji", [26_214_400, 450])
    40

    Args:
        titles: a game with levels.
        balances: the silver of each seated player when the hand opens; at least one.
    """
    return WEALTH_LADDERS[titles].base_of(min(balances))


def check_stake(stake: int, stake_mode: StakeMode | str | int = StakeMode.FIXED, titles: str = "") -> Faults:
    """Refuse a stake below 1 silver, and one by wealth where the game has no levels. Rule: CM-9.

    Args:
        stake: silver; of no consequence when the stake goes by wealth.
        stake_mode: how the stake is found; a value nobody knows is a fault of CM-4.
        titles: the name of the table's game.
    """
    if not isinstance(stake_mode, StakeMode):
        return (Fault(rule="CM-4", text=unknown_value("stake_mode", stake_mode, StakeMode), field="stake_mode"),)
    if stake_mode is StakeMode.BY_WEALTH:
        if has_levels(titles):
            return ()
        text = f"a table of {titles} cannot have a stake by wealth; only {' and '.join(WEALTH_LADDERS)} have levels"
        return (Fault(rule="CM-9", text=text, field="stake_mode"),)
    if stake < 1:
        return (Fault(rule="CM-9", text=f"the stake is {stake} silver; it must be at least 1", field="stake"),)
    if not is_int64(stake):
        return (Fault(rule="CM-1", text=f"the stake is {stake} silver; it must be at most {INT64_MAX}", field="stake"),)
    return ()


def points_won(
    points_per_win: PointsPerWin | str | int, titles: str, net: Mapping[str, int], level_points: Mapping[str, int]
) -> dict[str, int]:
    """Give each net winner the 基礎分 of the player level he has before the hand. Rule: CM-10.

    >>> points_won(PointsPerWin.LEVEL_BASE, "bi_ji", {"A": 70, "B": -70}, {"A": 99, "B": 5000})
    {'A': 1}

    Args:
        points_per_win: NONE gives nobody any.
        titles: the game; one without levels gives nobody any.
        net: silver by player, by the obligations: a winner who is not paid in full has won all the same.
        level_points: each player's count before the hand; who is not named has 0.
    """
    ladder = PLAYER_LADDERS.get(titles)
    if points_per_win is PointsPerWin.NONE or ladder is None:
        return {}
    return {player: ladder.base_of(level_points.get(player, 0)) for player, silver in net.items() if silver > 0}
