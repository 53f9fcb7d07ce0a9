"""The benchmark: what the house can carry, beside what its parts and the simpler designs can, in the same run.

One measurement a file. Every measurement runs in rounds, interleaved with what it is compared to, because machines are
shared and noisy: ratios within one run are what counts, not rates. ``docs/performance.md`` says how to read them.
"""
