"""``python -m aistream_nb``: the same as ``aistream-nb``."""

from __future__ import annotations

import sys

from aistream_nb.cli import main

if __name__ == "__main__":
    sys.exit(main())
