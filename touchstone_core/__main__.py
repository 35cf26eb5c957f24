"""`python -m touchstone_core`, the same as `touchstone`."""

import sys

from touchstone_core.command import main

if __name__ == "__main__":
    sys.exit(main())
