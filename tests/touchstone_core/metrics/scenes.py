"""Random scales, formulas, judgments and rankings, and shortcuts to score one query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from touchstone_core.metrics.arrays import JudgedRun, ScaleInfo, join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import Ladder, ladder

DOCUMENTS = [f"d{number}" for number in range(14)]
LEVELS = (-2.0, -1.0, 0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)

# Five queries that the policies tell apart.
POLICIES = join(
    {
        "found": {"a": 1, "b": 1},
        "missing": {"a": 1},
        "nothing relevant": {"a": 0},
        "nothing relevant, missing": {"a": 0},
        "empty": {"a": 1},
    },
    {"found": ["x", "a"], "nothing relevant": ["a"], "empty": []},
    ScaleInfo(top_grade=1),
)[1]


LEVEL = st.sampled_from(LEVELS)
GAIN = st.just(0.0) | st.floats(1e-6, 100)


@dataclass(frozen=True)
class Scene:
    scale: ScaleInfo
    judgments: Mapping[str, Mapping[str, float]]
    rankings: Mapping[str, Sequence[str]]

    def join(self) -> tuple[tuple[str, ...], JudgedRun]:
        return join(self.judgments, self.rankings, self.scale)


def formulas() -> st.SearchStrategy[Formula]:
    def build(gain, discount, base, cutoff, extra, unjudged, zero, missing):
        return Formula(
            gain=gain,
            discount=discount,
            base=base if discount == "jk" else None,
            cutoff=cutoff,
            depth=None if extra is None else cutoff + extra,
            unjudged=unjudged,
            zero=zero,
            missing=missing,
        )

    return st.builds(
        build,
        st.sampled_from(["linear", "exp", "table"]),
        st.sampled_from(["log2", "jk", "reciprocal", "none"]),
        st.none() | st.floats(1, exclude_min=True, allow_infinity=False) | st.integers(2, 20),
        st.integers(1, 15),
        st.none() | st.integers(0, 10),
        st.sampled_from(["zero", "condensed"]),
        st.sampled_from([0, 1, "skip"]),
        st.sampled_from([0, "skip"]),
    )


def scales() -> st.SearchStrategy[ScaleInfo]:
    gains = st.fixed_dictionaries({grade: GAIN if grade >= 0 else st.just(0.0) for grade in LEVELS})
    return gains.map(lambda table: ScaleInfo(top_grade=4.0, gains=table))


@st.composite
def scenes(draw, grades=LEVEL, queries=4) -> Scene:
    names = [f"q{number}" for number in range(draw(st.integers(0, queries)))]
    judgments = {q: draw(st.dictionaries(st.sampled_from(DOCUMENTS), grades, max_size=12)) for q in names}
    rankings = {
        q: draw(st.lists(st.sampled_from(DOCUMENTS), unique=True))
        for q in [*names, "unknown"]
        if draw(st.booleans())
    }
    return Scene(draw(scales()), judgments, rankings)


def score(
    judgments: Mapping[str, float], ranking: Sequence[str], formula: Formula, scale: ScaleInfo | None = None
) -> Ladder:
    """The ladder of one query; without a scale, its greatest grade is the top, and every grade its own gain."""
    top = max(judgments.values(), default=0)
    return ladder(join({"q": judgments}, {"q": ranking}, scale or ScaleInfo(top_grade=top))[1], formula)
