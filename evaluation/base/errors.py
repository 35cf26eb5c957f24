"""What can go wrong with runs. The messages are sentences for users."""

from judgments.base.errors import JudgmentsError


class EvaluationError(JudgmentsError):
    """The base of all; never raised itself."""


class RunExists(EvaluationError):
    """The query set already has a run of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"This query set already has a run named “{name}”. Choose another name.")


class TooManyFormulasError(EvaluationError):
    """The query set has as many formulas as people can keep apart."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This query set already has {most} formulas, the most it can have. Delete one that nobody uses, then save this one."
        )


class RunRefused(EvaluationError):
    """The file has errors. Its report names them by line."""


class TooManyComparisonsError(EvaluationError):
    """The list has as many saved comparisons as people can keep apart."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This list already has {most} saved comparisons, the most it can have. Delete one that nobody uses, then save this one."
        )


class TooManyIntentsError(EvaluationError):
    """The query set has as many intents as people can keep apart."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This query set already has {most} intents, the most it can have. Delete one that nobody uses, then save this one."
        )


class TooManyTagsError(EvaluationError):
    """The run has as many tags as a table can show."""

    def __init__(self, run: str, most: int) -> None:
        super().__init__(
            f"Run “{run}” would have more than {most} tags, the most it can have. Remove some first."
        )


class TooManyViewsError(EvaluationError):
    """The query set has as many saved views as people can keep apart."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This query set already has {most} saved views, the most it can have. Delete one that nobody uses, then save this one."
        )
