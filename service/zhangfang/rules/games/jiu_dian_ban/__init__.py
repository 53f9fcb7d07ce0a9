"""九點半 (jiu_dian_ban): a banker, three doors, any number of bettors; two cards each, nearest to nine and a half."""

from zhangfang.rules.banking import Banking
from zhangfang.rules.game import Game
from zhangfang.rules.games.jiu_dian_ban import bank, judge, stages
from zhangfang.rules.games.jiu_dian_ban.record import JiuDianBanHand, JiuDianBanRules, check_house_rules

GAME = Game(
    name="jiu_dian_ban",
    title="九點半",
    seats_min=1,
    seats_max=judge.SEATS,
    opening_seats=(1, 1),
    house_rules=JiuDianBanRules,
    record=JiuDianBanHand,
    needs_silver=True,
    has_levels=True,
    check_house_rules=check_house_rules,
    judge=judge.judge,
    begin=stages.begin,
    deal=stages.deal,
    choose=stages.choose,
    finish=stages.finish,
    progress=stages.progress,
    participants=stages.participants,
    seated=stages.seated,
    held_by=stages.held_by,
    accepted=stages.accepted,
    banking=Banking(bank.begin, bank.change, bank.open_hand, bank.close_hand, bank.banker_of),
)
