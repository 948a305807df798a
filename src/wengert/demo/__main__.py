"""The command `python -m wengert.demo`."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from .command import main

        sys.exit(main())
    except KeyboardInterrupt:  # before the run has begun, or a second time
        print("stopped at once by Ctrl-C", file=sys.stderr)
        sys.exit(130)
