"""Where the shared test data lies, and the reason to skip when it does not."""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("TOUCHSTONE_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def shared_data(name: str) -> Path:
    """The file or folder `name` of the shared data; skips the test where this checkout has none beside it."""
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"the shared test data ({name}) does not lie beside this checkout")
    return path
