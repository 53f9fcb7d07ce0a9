"""二人鬥地主 with 讓牌: two players, 46 cards, and a landlord who may give his opponent a start.

One is landlord (地主) with twenty cards, the other farmer (農民) with seventeen. Each rob in the auction and rang_xian
raise what is paid, and let the farmer win with cards still in hand. Rules: DZ-1 … DZ-30.
"""

from zhangfang.rules.game import Game
from zhangfang.rules.games.er_ren_dou_di_zhu.deal import SEAT_COUNT
from zhangfang.rules.games.er_ren_dou_di_zhu.house_rules import check_house_rules
from zhangfang.rules.games.er_ren_dou_di_zhu.judge import judge
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuHand, ErRenDouDiZhuRules
from zhangfang.rules.games.er_ren_dou_di_zhu.stages import begin, choose, deal, finish, progress

GAME = Game(
    name="er_ren_dou_di_zhu",
    title="二人鬥地主",
    seats_min=SEAT_COUNT,
    seats_max=SEAT_COUNT,
    house_rules=ErRenDouDiZhuRules,
    record=ErRenDouDiZhuHand,
    check_house_rules=check_house_rules,
    judge=judge,
    begin=begin,
    deal=deal,
    choose=choose,
    finish=finish,
    progress=progress,
)
