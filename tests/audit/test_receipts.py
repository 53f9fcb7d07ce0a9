"""A receipt shows whether the log still begins with what it held, whoever rewrote it since."""

import pytest

from tests.audit.evening import Evening
from tests.audit.findings import first_settled
from tests.audit.tampering import chain_again, delete_events, edit_body, set_event, tamper
from zhangfang.audit.rebuild import rebuild
from zhangfang.audit.receipts import Receipt, check_receipt, head
from zhangfang.audit.verify import Finding, verify
from zhangfang.store.chain import GENESIS
from zhangfang.wire.v1 import events_pb2


def test_a_receipt_holds_as_the_log_grows(played):
    receipt = head(played)
    Evening(played, first_number=5_000).fund(5, "late")

    assert head(played).position == receipt.position + 2
    assert check_receipt(played, receipt.position, receipt.hash) is None
    assert check_receipt(played, head(played).position, head(played).hash) is None


def test_an_empty_log_has_a_receipt_too(database):
    assert head(database) == Receipt(0, GENESIS)
    assert check_receipt(database, 0, GENESIS) is None
    assert check_receipt(database, 1, bytes(32)).text == "the log ends at position 0; the receipt is for position 1"


def rename(message):
    message.display_name = "somebody else"


def test_what_verification_cannot_see_a_receipt_can(played):
    # The name is changed, the chain made to fit, and the projections made anew: nothing contradicts anything.
    receipt = head(played)
    tamper(played, edit_body(1, rename, events_pb2.PlayerRegistered), chain_again)
    list(rebuild(played))
    *_, finding = verify(played)
    assert isinstance(finding, Finding)
    assert finding.is_sound

    wrong = check_receipt(played, receipt.position, receipt.hash)

    assert wrong.position == receipt.position
    assert "an event up to here is another" in wrong.text


def test_a_truncated_log_no_longer_reaches_a_receipt(played):
    receipt = head(played)
    tamper(played, delete_events(receipt.position - 4, receipt.position), chain_again)

    assert check_receipt(played, receipt.position, receipt.hash).position == receipt.position - 4


def test_stored_hashes_are_not_believed(played):
    receipt = head(played)
    position = first_settled(played)
    tamper(played, set_event(position, recorded_at_us=1))

    assert check_receipt(played, receipt.position, receipt.hash).position == position


def test_a_receipt_is_read_as_it_was_printed(played_sqlite):
    receipt = head(played_sqlite)

    assert Receipt.read(str(receipt)) == receipt


@pytest.mark.parametrize("text", ["", "5", ":" + "0" * 64, "5:", "5:" + "0" * 63, "x:" + "0" * 64, "-1:" + "0" * 64])
def test_what_is_no_receipt_is_refused(text):
    with pytest.raises(ValueError, match="is no receipt"):
        Receipt.read(text)
