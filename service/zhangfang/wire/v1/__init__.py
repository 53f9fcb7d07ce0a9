"""Generated from protos/: do not edit; ``make generate`` makes it anew."""
