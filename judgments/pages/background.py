"""What pages say of work that a worker does."""

from judgments.models import Deletion


def deleted_in_background(deletion: Deletion) -> str:
    """For a message: the rows are out of reach already, whatever the worker does."""
    subject = deletion.subject
    return (
        f"{subject[0].upper()}{subject[1:]} can’t be reached any more. A worker deletes the rows: see Jobs."
    )
