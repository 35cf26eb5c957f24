"""What was imported into a list, and what undoing it would do."""

from dataclasses import dataclass
from typing import Final

from judgments.files.sql import undoing
from judgments.models import Batch, JudgmentList

MOST_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class UndoEffect:
    """Judgments that are withdrawn, that get their earlier answer back, and that stay because somebody changed them since."""

    withdrawn: int
    restored: int
    kept: int

    @property
    def total(self) -> int:
        return self.withdrawn + self.restored


def undo_effect(batch: Batch) -> UndoEffect:
    """What `undo_batch` would do now. Changes nothing and waits for nobody."""
    withdrawn, restored = undoing.count(list_id=batch.judgment_list_id, batch_id=batch.pk)
    return UndoEffect(withdrawn, restored, batch.judgment_count - batch.undone_count - withdrawn - restored)


def latest_batches(judgment_list: JudgmentList) -> list[Batch]:
    """The latest imports of judgments into the list that can be undone or were, the newest first."""
    return list(Batch.objects.filter(judgment_list=judgment_list).select_related("act")[:MOST_SHOWN])
