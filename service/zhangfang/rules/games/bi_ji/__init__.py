"""比機 (bi_ji): two to five players, nine cards each, laid as three ascending groups; three pots and the royalties."""

from zhangfang.rules.game import Game
from zhangfang.rules.games.bi_ji import judge, stages
from zhangfang.rules.games.bi_ji.record import BiJiHand, BiJiRules, check_house_rules

GAME = Game(
    name="bi_ji",
    title="比機",
    seats_min=judge.SEATS_MIN,
    seats_max=judge.SEATS_MAX,
    house_rules=BiJiRules,
    record=BiJiHand,
    has_levels=True,
    check_house_rules=check_house_rules,
    judge=judge.judge,
    begin=stages.begin,
    deal=stages.deal,
    choose=stages.choose,
    finish=stages.finish,
    progress=stages.progress,
)
