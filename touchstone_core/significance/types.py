"""Names for the arrays that go in and out. The shapes stand in each docstring: Q queries, R runs, B draws."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
