import numpy as np
import pytest
import zstandard

from evaluation.base.sql import pack_joined, pack_scores, unpack_documents, unpack_scores


def pack_documents(documents):
    return pack_joined("\n".join(documents), len(documents))


@pytest.mark.parametrize("documents", [[], ["d1"], ["d2", "d1", "naïve ☃", "a b", "c\rd"]])
def test_documents_come_back_in_their_order(documents):
    assert unpack_documents(pack_documents(documents)) == documents


@pytest.mark.parametrize("documents", [[""], ["a", ""], ["a\nb"]])
def test_an_id_that_would_not_come_back_is_refused(documents):
    with pytest.raises(ValueError, match="line break"):
        pack_documents(documents)


@pytest.mark.parametrize("scores", [[], [1.5, -0.0, 1e-300, 12345678.9]])
def test_scores_come_back_to_the_last_bit(scores):
    assert unpack_scores(pack_scores(scores)).tobytes() == np.array(scores, dtype=float).tobytes()


def test_blocks_are_what_the_model_says_they_are():
    plain = zstandard.ZstdDecompressor().decompress

    assert plain(pack_documents(["b", "a"])) == b"b\na"
    assert plain(pack_scores([1.0])) == b"\x00\x00\x00\x00\x00\x00\xf0\x3f"


def test_blocks_are_read_from_what_the_database_gives():
    assert unpack_documents(memoryview(pack_documents(["a", "b"]))) == ["a", "b"]
