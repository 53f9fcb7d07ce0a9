"""半邊天炸: three players, one against two, 51 cards; tricks capture points, and factors multiply the stake.

Rule: BB-1 … BB-29. Source: seed "半邊天炸".
"""

from zhangfang.rules.game import Game
from zhangfang.rules.games.ban_bian_tian_zha.judge import check_house_rules, judge
from zhangfang.rules.games.ban_bian_tian_zha.record import SEATS, BanBianTianZhaHand, BanBianTianZhaRules
from zhangfang.rules.games.ban_bian_tian_zha.stages import begin, choose, deal, finish, progress

GAME = Game(
    name="ban_bian_tian_zha",
    title="半邊天炸",
    seats_min=SEATS,
    seats_max=SEATS,
    house_rules=BanBianTianZhaRules,
    record=BanBianTianZhaHand,
    check_house_rules=check_house_rules,
    judge=judge,
    begin=begin,
    deal=deal,
    choose=choose,
    finish=finish,
    progress=progress,
)
