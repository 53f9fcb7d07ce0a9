"""The games the house knows, by name."""

from zhangfang.rules.game import Game
from zhangfang.rules.games import ban_bian_tian_zha, bi_ji, er_ren_dou_di_zhu, jiu_dian_ban

GAMES: dict[str, Game] = {
    module.GAME.name: module.GAME for module in (ban_bian_tian_zha, bi_ji, er_ren_dou_di_zhu, jiu_dian_ban)
}
