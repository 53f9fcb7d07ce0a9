"""The counter's double entry: pure functions over accounts, postings and balances.

Whatever moves silver becomes postings that sum to zero; nothing is ever edited, only posted against.
"""
