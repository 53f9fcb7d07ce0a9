"""The money: what is in the house, what moves, what it earns, what is missing."""

from deploy.grafana.board import SHARE, SILVER, Board, Query, Row, curves, number

CASH = 'account:zhangfang_money:latest{account="system/cash"}'
FEES = 'account:zhangfang_money:latest{account="system/fees"}'
PENALTIES = 'account:zhangfang_money:latest{account="system/penalties"}'
SHORTFALL = 'account:zhangfang_money:latest{account="system/shortfall"}'

STANDING = Row(
    "Where the silver is",
    4,
    (
        number("In the house", "Silver brought in and not taken out again.", SILVER, f"-sum({CASH})"),
        number(
            "With the players",
            "What all players together have: all silver that is in no system account. Debts count against it.",
            SILVER,
            "-sum(account:zhangfang_money:latest)",
        ),
        number("Fees", "Rake and table fees earned, less what reversals gave back.", SILVER, f"sum({FEES})"),
        number("Penalties", "Paid by players who ran away.", SILVER, f"sum({PENALTIES})"),
        number(
            "Paid for losers",
            "What the house paid in the place of losers who could not, at tables where it does.",
            SILVER,
            f"-sum({SHORTFALL})",
        ),
    ),
)

IN_AND_OUT = Row(
    "In and out",
    9,
    (
        curves(
            "Deposits and withdrawals",
            "Silver in an hour.",
            SILVER,
            Query("sum(increase(zhangfang_silver_deposited_total[1h]))", "deposited"),
            Query("-sum(increase(zhangfang_silver_withdrawn_total[1h]))", "withdrawn"),
        ),
        curves(
            "System accounts",
            "Balance of each. Cash is below zero by what is in the house.",
            SILVER,
            Query("account:zhangfang_money:latest", "{{account}}"),
        ),
    ),
)

HANDS = Row(
    "What hands move",
    9,
    (
        curves(
            "Silver moved",
            "What settled hands took out of players' accounts in an hour, by game.",
            SILVER,
            Query('sum by (game) (increase(zhangfang_silver_moved_total{game=~"$game"}[1h]))', "{{game}}"),
            is_stacked=True,
        ),
        curves(
            "Fees",
            "Rake and table fees of settled hands in an hour, by game.",
            SILVER,
            Query('sum by (game) (increase(zhangfang_silver_fees_total{game=~"$game"}[1h]))', "{{game}}"),
            is_stacked=True,
        ),
        curves(
            "Fees of what moved",
            "What part of the silver moved stays with the house.",
            SHARE,
            Query(
                'sum by (game) (increase(zhangfang_silver_fees_total{game=~"$game"}[1h]))'
                ' / sum by (game) (increase(zhangfang_silver_moved_total{game=~"$game"}[1h]))',
                "{{game}}",
            ),
        ),
    ),
)

MISSING = Row(
    "What is missing, what is taken back",
    9,
    (
        curves(
            "Shortfalls",
            "Silver that losers owed and could not pay, in an hour, by game.",
            SILVER,
            Query('sum by (game) (increase(zhangfang_silver_short_total{game=~"$game"}[1h]))', "{{game}}"),
            is_stacked=True,
        ),
        curves(
            "Shortfalls of what was lost",
            "What part of the silver lost was not there.",
            SHARE,
            Query('game:zhangfang_silver_short:ratio_increase1h{game=~"$game"}', "{{game}}"),
        ),
        curves(
            "Silver taken back",
            "What reversals took back out of players' accounts in an hour, by game.",
            SILVER,
            Query('sum by (game) (increase(zhangfang_silver_reversed_total{game=~"$game"}[1h]))', "{{game}}"),
            is_stacked=True,
        ),
    ),
)

MONEY = Board(
    "zhangfang-money",
    "Zhangfang · money",
    "Where the silver is, what comes in and goes out, what the house earns, and what losers could not pay.",
    (STANDING, IN_AND_OUT, HANDS, MISSING),
    "game",
    "zhangfang_hands_settled_total",
)
