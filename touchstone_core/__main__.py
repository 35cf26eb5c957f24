"""`python -m touchstone_core`, the same as `touchstone`."""

import sys

from touchstone_core.process import main

if __name__ == "__main__":
    sys.exit(main())
