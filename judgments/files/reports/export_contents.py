"""What there is to take out of a list, for the page of its exports."""

from django.db.models import Sum
from django.db.models.functions import Floor

from judgments.models import ConsensusGrade, JudgmentList, ListQuery


def contents(judgment_list: JudgmentList) -> dict[str, int]:
    """How many grades, judgments and pairs; `fractions` are grades that are no whole numbers. Costs two queries: one reads the counts of the list's queries, one its grades."""
    sums = ListQuery.objects.filter(judgment_list=judgment_list).aggregate(
        grades=Sum("graded_count", default=0),
        judgments=Sum("judgment_count", default=0),
        pairs=Sum("pair_count", default=0),
    )
    grades = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    return {**sums, "fractions": grades.exclude(value=Floor("value")).count()}
