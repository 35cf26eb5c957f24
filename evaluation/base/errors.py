"""What can go wrong with runs. The message is a sentence for the person who will read it."""


class EvaluationError(Exception):
    """The base of all; never raised itself."""


class RunExists(EvaluationError):
    """A run of this name is there already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a run named “{name}” in this query set already. Choose another name.")


class TooManyFormulasError(EvaluationError):
    """A query set keeps so many formulas already that nobody finds one."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This query set has {most} formulas already, and that is the most. Delete one that nobody uses, then save this one."
        )


class RunRefused(EvaluationError):
    """The file has errors; the report that came with it says which, by line."""


class TooManyIntentsError(EvaluationError):
    """A query set has so many intents already that nobody finds one."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This query set has {most} intents already, and that is the most. Delete one that nobody uses, then save this one."
        )
