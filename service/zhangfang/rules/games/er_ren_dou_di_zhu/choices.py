"""The choices before the play, heard in their order: the call card, the auction, rang_xian (讓先).

Rule: DZ-2 … DZ-6, DZ-30.
"""

from zhangfang.rules.games.er_ren_dou_di_zhu.auction import Auction, hold_auction, stops_unheard
from zhangfang.rules.games.er_ren_dou_di_zhu.deal import Cards, find_first_speaker
from zhangfang.rules.games.er_ren_dou_di_zhu.record import ErRenDouDiZhuHand
from zhangfang.rules.verdict import Fault


def follow_choices(record: ErRenDouDiZhuHand, cards: Cards) -> Auction | Fault:
    """All choices of a record that claims to be finished: the auction it held, or the first fault of a choice."""
    auction = hear_auction(record, cards)
    if isinstance(auction, Fault):
        return auction
    return _find_fault(record, auction) or auction


def hear_auction(record: ErRenDouDiZhuHand, cards: Cards) -> Auction | Fault:
    """The auction as far as the record has it; it need not be over. Rule: DZ-2, DZ-3, DZ-4."""
    first_speaker = find_first_speaker(cards, record.deal.call_card if record.deal else "")
    if isinstance(first_speaker, Fault):
        return first_speaker
    return hold_auction(record.auction, first_speaker, record.players)


def _find_fault(record: ErRenDouDiZhuHand, auction: Auction) -> Fault | None:
    """What is missing, or too much, for the record to go on as it does. Rule: DZ-3, DZ-4, DZ-6.

    An escape may cut the choices short, but not when cards were played after them.
    """
    players = record.players
    is_cut_short = record.escape is not None and not record.plays
    if not auction.is_over and not is_cut_short:
        return stops_unheard(auction, players)
    if auction.landlord is None:
        if record.rang_xian is not None:
            text = f"rang_xian is {str(record.rang_xian).lower()}, but no landlord was there to choose it"
            return Fault(rule="DZ-6", section="rang_xian", action=0, text=text)
        if record.plays:
            return _plays_after_redeal(record)
    elif record.rang_xian is None and not is_cut_short:
        text = f"rang_xian is missing: the landlord {players[auction.landlord]} must choose whether the farmer leads"
        return Fault(rule="DZ-6", section="rang_xian", action=0, text=text)
    return None


def _plays_after_redeal(record: ErRenDouDiZhuHand) -> Fault:
    """The fault of cards played though nobody became landlord. Rule: DZ-3."""
    seat, _cards = record.plays[0]
    player = record.players[seat] if 0 <= seat < len(record.players) else None
    text = f"play 0: {player or f'seat {seat}'} plays, but both passed; the cards must be dealt anew"
    return Fault(rule="DZ-3", section="plays", action=0, player=player, text=text)
