"""``python -m tests.reference FILE…``: judge reference hands and say where the house disagrees with them."""

import sys

from tests.reference.runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
