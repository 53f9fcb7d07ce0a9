"""A judge rules as the server would: the same judgement, byte for byte, and nothing on a hand that is refused."""

import pytest

from tests.samples import EVERY_SAMPLE, SAMPLES, SIMPLE, Sample
from zhangfang.beside import pack, unpack
from zhangfang.contract.games import CODECS
from zhangfang.domain.tables import Table
from zhangfang.errors import Reason, Refusal
from zhangfang.judges.ruling import Question, Ruling, answer, flatten, is_judged_beforehand, restore, rule_on
from zhangfang.rules.levels import StakeMode
from zhangfang.rules.payment import MoneyRules
from zhangfang.wire.v1.settlement_pb2 import HandRecord

BEFOREHAND = [sample for sample in EVERY_SAMPLE if sample.game != "jiu_dian_ban"]


def question(sample: Sample, **changes: bytes) -> Question:
    """What a judge is asked about a sample."""
    rules, record = sample.rules.SerializeToString(), sample.record().SerializeToString()
    return Question(sample.game, sample.stake, rules, record)._replace(**changes)


def ruled(sample: Sample, record: HandRecord | None = None) -> Ruling:
    """The ruling of this process."""
    house_rules = CODECS[sample.game].read_rules(getattr(sample.rules, sample.game))
    return rule_on(record or sample.record(), sample.game, sample.stake, house_rules)


@pytest.mark.parametrize("sample", BEFOREHAND, ids=lambda sample: sample.id)
def test_cm_3__a_judge_rules_as_the_server_would(sample: Sample) -> None:
    here = ruled(sample)

    there = restore(unpack(pack(flatten(answer(question(sample))))[4:]))

    assert there
    assert there.participants == here.participants
    assert there.judged == here.judged._replace(outcome=None)
    assert there.judged.ended is here.judged.ended
    assert there.seconds > 0


def test_cm_5__a_faulty_hand_gets_no_ruling_and_the_server_has_all_its_faults() -> None:
    sample = SIMPLE["bi_ji"]
    record = sample.record()
    record.bi_ji.layouts[0].groups[0] = "Ah Ah Ah"

    assert answer(question(sample, record=record.SerializeToString())) is None
    with pytest.raises(Refusal) as caught:
        ruled(sample, record)
    assert caught.value.reason is Reason.HAND_FAULTY


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(b"", id="no hand"),
        pytest.param(SIMPLE["bi_ji"].record().SerializeToString() + b"\xf8\x3f\x01", id="an unknown field"),
        pytest.param(SIMPLE["er_ren_dou_di_zhu"].record().SerializeToString(), id="another game"),
        pytest.param(SIMPLE["bi_ji"].record("x" * 64).SerializeToString(), id="ids that are too long"),
    ],
)
def test_what_is_refused_gets_no_ruling(record: bytes) -> None:
    assert answer(question(SIMPLE["bi_ji"], record=record)) is None


def test_only_hands_that_touch_nobody_elses_silver_or_bank_are_judged_beforehand() -> None:
    def table(game: str, stake_mode: StakeMode = StakeMode.FIXED) -> Table:
        return Table("T", game, CODECS[game].game.house_rules(), stake_mode, 1, MoneyRules(), 1, 1, 1)

    assert {game for game in SAMPLES if is_judged_beforehand(table(game))} == set(SAMPLES) - {"jiu_dian_ban"}
    assert not is_judged_beforehand(table("bi_ji", StakeMode.BY_WEALTH))
