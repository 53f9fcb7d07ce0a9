import pytest

from zhangfang.ledger.reversal import HandStanding, check_hand_id, check_replacement, check_reversal


@pytest.mark.parametrize(
    ("standing", "actor", "reason", "texts"),
    [
        pytest.param(HandStanding.SETTLED, "clerk", "misread", [], id="a settled hand"),
        pytest.param(HandStanding.UNKNOWN, "clerk", "misread", ["never settled"], id="an unknown hand"),
        pytest.param(HandStanding.REVERSED, "clerk", "misread", ["reversed before"], id="reversed twice"),
        pytest.param(HandStanding.REPLACED, "clerk", "misread", ["reversed before"], id="settled again since"),
        pytest.param(HandStanding.SETTLED, "", "misread", ["names no actor;"], id="no actor"),
        pytest.param(HandStanding.SETTLED, "clerk", "", ["names no reason;"], id="no reason"),
        pytest.param(HandStanding.SETTLED, " ", "\t", ["names no actor and no reason;"], id="both blank"),
        pytest.param(HandStanding.UNKNOWN, "", "misread", ["never settled", "no actor"], id="all faults"),
    ],
)
def test_cm_11__a_reversal(standing, actor, reason, texts):
    faults = check_reversal("h1", standing, actor, reason)

    assert [fault.rule for fault in faults] == ["CM-11"] * len(texts)
    assert all(text in fault.text and "h1" in fault.text for text, fault in zip(texts, faults, strict=True))


@pytest.mark.parametrize("standing", HandStanding)
def test_cm_11__a_hand_id_is_settled_once(standing):
    faults = check_hand_id("h1", standing)

    assert [fault.rule for fault in faults] == ([] if standing is HandStanding.UNKNOWN else ["CM-11"])


@pytest.mark.parametrize(
    ("standing", "text"),
    [
        pytest.param(HandStanding.UNKNOWN, "was never settled", id="an unknown hand"),
        pytest.param(HandStanding.SETTLED, "is not reversed", id="a hand that stands"),
        pytest.param(HandStanding.REPLACED, "was settled again before", id="a hand that was replaced"),
    ],
)
def test_cm_11__only_a_reversed_hand_is_settled_again(standing, text):
    faults = check_replacement("h1", standing)

    assert [fault.rule for fault in faults] == ["CM-11"]
    assert text in faults[0].text


def test_cm_11__a_reversed_hand_is_settled_again():
    assert check_replacement("h1", HandStanding.REVERSED) == ()
