"""Why there is no comparison."""

from evaluation.base.errors import EvaluationError


class NothingToCompareError(EvaluationError):
    """No query has a value in every run."""

    sentence = "No query has a value in every run, so that there is nothing to compare."


class HeldOutClosedError(NothingToCompareError):
    """Nobody has opened the held-out queries for these runs under this measure."""

    sentence = "The held-out queries are closed for these runs."


class LaterError(NothingToCompareError):
    """Whoever asks again in a moment gets an answer, or is told why there is none."""


class GradesMovingError(LaterError):
    """Somebody judges faster than the runs are read."""

    sentence = "The grades keep changing; try again."


class GoneMeanwhileError(LaterError):
    """A run, its scores or the list are gone."""

    sentence = "Something of this comparison was deleted meanwhile; try again."
