import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhangfang.ledger.accounts import SYSTEM_ACCOUNTS, is_account, is_player_account, player_account, player_of


@given(player=st.text(min_size=1, max_size=64))
def test_a_players_id_is_read_back_out_of_his_account_whatever_it_holds(player):
    account = player_account(player)

    assert player_of(account) == player
    assert is_account(account)


@given(one=st.text(min_size=1), other=st.text(min_size=1))
def test_two_players_never_share_an_account(one, other):
    assert (player_account(one) == player_account(other)) == (one == other)


@pytest.mark.parametrize("account", SYSTEM_ACCOUNTS)
def test_an_account_of_the_house_is_no_players(account):
    assert is_account(account)
    assert not is_player_account(account)
    assert player_of(account) is None


@pytest.mark.parametrize("player", [*SYSTEM_ACCOUNTS, "player/zhang", "-7", "张三"])
def test_a_player_called_like_an_account_has_one_of_his_own(player):
    account = player_account(player)

    assert player_of(account) == player
    assert account not in SYSTEM_ACCOUNTS


@pytest.mark.parametrize("name", ["", "zhang", "player/", "player", "system/", "system/jackpot", "System/fees"])
def test_other_names_are_no_accounts(name):
    assert not is_account(name)
    assert player_of(name) is None
