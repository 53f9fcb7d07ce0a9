"""What a finished hand pays: pure functions over values, no I/O, clock, randomness or floats."""
