"""What can go wrong with runs. The messages are sentences for users."""

from collections.abc import Sequence

from judgments.base.errors import JudgmentsError


class EvaluationError(JudgmentsError):
    """The base of all; never raised itself."""


class RunExists(EvaluationError):
    """The query set already has a run of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"This query set already has a run named “{name}”. Choose another name.")


class TooManyError(EvaluationError):
    """A query set or a list (`whose`) has as many `things` as people can keep apart."""

    def __init__(self, whose: str, most: int, things: str) -> None:
        super().__init__(
            f"This {whose} already has {most} {things}, the most it can have. Delete one that nobody uses, then save this one."
        )


class RunRefused(EvaluationError):
    """The file has errors. Its report names them by line."""


class QueryDeletedError(EvaluationError):
    """Queries of a run were deleted while it was being stored."""

    def __init__(self, names: Sequence[str]) -> None:
        what = (
            f"query “{names[0]}” was"
            if len(names) == 1
            else f"{len(names):,} of its queries, such as “{names[0]}”, were"
        )
        super().__init__(
            f"Nothing was stored, because {what} deleted at the same time. Upload the file again."
        )


class TooManyTagsError(EvaluationError):
    """The run has as many tags as a table can show."""

    def __init__(self, run: str, most: int) -> None:
        super().__init__(
            f"Run “{run}” would have more than {most} tags, the most it can have. Remove some first."
        )
