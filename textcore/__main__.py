"""``python -m textcore`` is the ``textcore`` command."""

import sys

from textcore.cli import main

if __name__ == "__main__":
    sys.exit(main())
