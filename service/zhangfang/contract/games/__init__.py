"""Every game's codec, by the game's name: adding a game adds one line here and one in ``rules.games``."""

from zhangfang.contract.codec import Codec
from zhangfang.contract.games import ban_bian_tian_zha, bi_ji, er_ren_dou_di_zhu, jiu_dian_ban

CODECS: dict[str, Codec] = {
    module.CODEC.game.name: module.CODEC for module in (ban_bian_tian_zha, bi_ji, er_ren_dou_di_zhu, jiu_dian_ban)
}
