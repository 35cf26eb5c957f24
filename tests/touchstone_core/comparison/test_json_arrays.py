"""Arrays in JSON fields come back as what they were."""

import json

import numpy as np
import pytest

from touchstone_core.comparison.json_arrays import pack_array, unpack_array


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, -np.inf, np.nan]),
        np.array([3, -1, 1 << 40]),
        np.array([3, 1], dtype=np.uint8),
        np.array([True, False, False, True]),
        np.array([], dtype=np.bool_),
    ],
)
def test_an_array_comes_back_with_its_type(array):
    back = unpack_array(json.loads(json.dumps(pack_array(array))))

    assert back.dtype.kind == array.dtype.kind.replace("u", "i")
    assert np.array_equal(back, array, equal_nan=array.dtype.kind == "f")


def test_what_is_no_array_stays():
    assert [unpack_array(pack_array(value)) for value in (True, None)] == [True, None]
