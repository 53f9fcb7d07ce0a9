"""The names of accounts: one for each player, four of the house.

>>> player_account("zhang")
'player/zhang'
>>> player_of("player/zhang"), player_of(FEES)
('zhang', None)

Rule: CM-6 (shortfall), CM-7 and CM-8 (fees), DZ-30 (penalties).
Source: house.
"""

from zhangfang.rules.verdict import PENALTIES

CASH = "system/cash"
"""The counterpart of deposits and withdrawals: below zero by all the silver that is in the house."""

FEES = "system/fees"
"""What the house earned: rake and table fees."""

SHORTFALL = "system/shortfall"
"""What the house paid in the place of losers who could not; below zero by that much."""

SYSTEM_ACCOUNTS = (CASH, FEES, PENALTIES, SHORTFALL)

PLAYER_PREFIX = "player/"
SYSTEM_PREFIX = "system/"


def player_account(player: str) -> str:
    """Name a player's account; his id is taken as it is, whatever characters it holds."""
    return PLAYER_PREFIX + player


def player_of(account: str) -> str | None:
    """Read the player's id out of an account's name; None for an account that is no player's."""
    return account[len(PLAYER_PREFIX) :] if is_player_account(account) else None


def is_player_account(account: str) -> bool:
    """Whether an account is a player's."""
    return account.startswith(PLAYER_PREFIX) and account != PLAYER_PREFIX


def is_account(account: str) -> bool:
    """Whether a name is one of an account: a player's, or one of the four of the house."""
    return is_player_account(account) or account in SYSTEM_ACCOUNTS
