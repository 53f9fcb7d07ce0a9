import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhangfang.rules.levels import (
    PLAYER_LADDERS,
    WEALTH_LADDERS,
    Level,
    PointsPerWin,
    StakeMode,
    check_stake,
    has_levels,
    player_level,
    points_won,
    stake_by_wealth,
    wealth_level,
)
from zhangfang.rules.verdict import INT64_MAX, INT64_MIN

LADDERS = [
    pytest.param(ladder, id=f"{game} {kind}")
    for kind, ladders in (("wealth", WEALTH_LADDERS), ("player", PLAYER_LADDERS))
    for game, ladder in ladders.items()
]


def test_cm_10__the_ladders_are_those_of_the_table():
    lines = [
        f"{game},{kind},{title},{threshold},{base}\n"
        for game in WEALTH_LADDERS
        for kind, ladders in (("wealth", WEALTH_LADDERS), ("player", PLAYER_LADDERS))
        for title, threshold, base in zip(
            ladders[game].titles, ladders[game].thresholds, ladders[game].bases, strict=True
        )
    ]

    digest = hashlib.sha256("".join(lines).encode()).hexdigest()

    assert len(lines) == 80
    assert digest == "84aa55a43cab474ebc13a152d95658377ec297662f2e535c0a966fb9812f9840"


def test_cm_10__only_two_games_have_levels():
    games = ("ban_bian_tian_zha", "bi_ji", "er_ren_dou_di_zhu", "jiu_dian_ban")

    assert [game for game in games if has_levels(game)] == ["bi_ji", "jiu_dian_ban"]
    assert set(PLAYER_LADDERS) == set(WEALTH_LADDERS)


@pytest.mark.parametrize("ladder", LADDERS)
def test_cm_10__each_level_begins_at_its_threshold_and_ends_one_before_the_next(ladder):
    for rung, threshold in enumerate(ladder.thresholds):
        assert ladder.rung_of(threshold) == rung
        assert ladder.rung_of(threshold - 1) == max(rung - 1, 0)


@pytest.mark.parametrize("ladder", LADDERS)
def test_cm_10__ladders_climb(ladder):
    assert list(ladder.thresholds) == sorted(set(ladder.thresholds))
    assert list(ladder.bases) == sorted(ladder.bases)
    assert ladder.thresholds[0] == 0
    assert min(ladder.bases) >= 1


@pytest.mark.parametrize("ladder", PLAYER_LADDERS.values(), ids=PLAYER_LADDERS)
def test_cm_10__a_whole_number_of_wins_leads_to_the_next_player_level(ladder):
    for rung, base in enumerate(ladder.bases[:-1]):
        assert (ladder.thresholds[rung + 1] - ladder.thresholds[rung]) % base == 0


@pytest.mark.parametrize(
    ("silver", "level"),
    [
        pytest.param(-1, Level("待業", 0, 1, 100, 101), id="below zero"),
        pytest.param(0, Level("待業", 0, 1, 100, 100), id="nothing"),
        pytest.param(99, Level("待業", 0, 1, 100, 1), id="one missing"),
        pytest.param(100, Level("臨時工", 100, 1, 200, 100), id="just there"),
        pytest.param(26_214_399, Level("賭神", 13_107_200, 262_144, 26_214_400, 1), id="one below the top"),
        pytest.param(INT64_MAX, Level("玉帝", 26_214_400, 524_288, None, 0), id="the top"),
        pytest.param(INT64_MIN, Level("待業", 0, 1, 100, INT64_MAX), id="a debt further away than can be said"),
    ],
)
def test_cm_10__wealth_levels_of_jiu_dian_ban(silver, level):
    assert wealth_level("jiu_dian_ban", silver) == level


@pytest.mark.parametrize(
    ("level_points", "title"),
    [(0, "科员"), (99, "科员"), (100, "主任"), (866_399, "副总理"), (866_400, "总理")],
    ids=str,
)
def test_cm_10__player_levels_of_bi_ji(level_points, title):
    assert player_level("bi_ji", level_points).title == title


@pytest.mark.parametrize("find", [wealth_level, player_level])
def test_cm_10__a_game_without_levels_has_none(find):
    with pytest.raises(KeyError):
        find("er_ren_dou_di_zhu", 5)


@pytest.mark.parametrize(
    ("titles", "balances", "stake"),
    [
        pytest.param("bi_ji", [26_214_400, 26_214_417], 2_621_440, id="two at the top"),
        pytest.param("bi_ji", [26_214_400, 99], 5, id="one has little"),
        pytest.param("bi_ji", [500, -7], 5, id="one is below zero"),
        pytest.param("jiu_dian_ban", [51_217, 13_107_201, 12_799], 128, id="three"),
    ],
)
def test_cm_9__a_stake_by_wealth_is_that_of_the_poorest(titles, balances, stake):
    assert stake_by_wealth(titles, balances) == stake


@given(balances=st.lists(st.integers(INT64_MIN, INT64_MAX), min_size=1, max_size=5), titles=st.sampled_from(["bi_ji"]))
def test_cm_9__a_stake_by_wealth_is_the_lowest_base_of_all(balances, titles):
    assert stake_by_wealth(titles, balances) == min(wealth_level(titles, silver).base for silver in balances)


@pytest.mark.parametrize(
    ("stake", "stake_mode", "titles", "faults"),
    [
        pytest.param(1, StakeMode.FIXED, "", [], id="the smallest"),
        pytest.param(INT64_MAX, StakeMode.FIXED, "", [], id="the largest"),
        pytest.param(0, StakeMode.FIXED, "", [("CM-9", "stake")], id="nothing"),
        pytest.param(-1, StakeMode.FIXED, "bi_ji", [("CM-9", "stake")], id="below zero"),
        pytest.param(2**63, StakeMode.FIXED, "", [("CM-1", "stake")], id="no int64"),
        pytest.param(0, StakeMode.BY_WEALTH, "bi_ji", [], id="by wealth"),
        pytest.param(5, StakeMode.BY_WEALTH, "er_ren_dou_di_zhu", [("CM-9", "stake_mode")], id="no levels"),
        pytest.param(5, "BY_LUCK", "bi_ji", [("CM-4", "stake_mode")], id="unknown"),
    ],
)
def test_cm_9__stakes(stake, stake_mode, titles, faults):
    found = check_stake(stake, stake_mode, titles)

    assert [(fault.rule, fault.field) for fault in found] == faults


def test_cm_10__a_net_winner_gains_the_base_of_his_present_level():
    net = {"A": 2172, "B": -2172, "C": 0, "D": 1}

    points = points_won(PointsPerWin.LEVEL_BASE, "bi_ji", net, {"A": 516_399, "B": 5000, "C": 99})

    assert points == {"A": 160, "D": 1}


@pytest.mark.parametrize(
    ("points_per_win", "titles"),
    [(PointsPerWin.NONE, "bi_ji"), (PointsPerWin.LEVEL_BASE, "er_ren_dou_di_zhu")],
    ids=["turned off", "a game without levels"],
)
def test_cm_10__nobody_gains_level_points(points_per_win, titles):
    assert points_won(points_per_win, titles, {"A": 5, "B": -5}, {"A": 0}) == {}
