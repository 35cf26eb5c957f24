"""The example notebook runs, and shows what it gives today."""

import pytest

from tests.examples.notebook_cells import NOTEBOOKS, outputs, read


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_give(path):
    cells = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    stored = ["".join("".join(one["text"]) for one in cell["outputs"]) for cell in cells]

    assert len(cells) > 5
    assert outputs(path) == stored


def test_there_is_a_notebook():
    assert NOTEBOOKS
