"""A list that several raters have judged, for tests of agreement."""

from judgments.models import Judgment, Pair
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene


class Agreed:
    """`queries` × `documents` pairs in the order of making; raters answer them from the first on."""

    def __init__(self, queries=2, documents=3, **fields):
        self.scene = Scene(queries=queries, documents=documents, **fields)
        self.query_set, self.list = self.scene.query_set, self.scene.list
        self.pairs = list(Pair.objects.filter(judgment_list=self.list).order_by("query_id", "document_id"))

    def rater(self, name, values, **more):
        """An external rater; None is “cannot judge”, "-" no answer."""
        rater = self.query_set.raters.create(name=name, kind="external")
        common = {"query_set": self.query_set, "judgment_list": self.list, "rater": rater}
        Judgment.objects.bulk_create(
            Judgment(
                **common,
                **more,
                pair=pair,
                value=value,
                reason="" if value is not None else "language",
                created_at=NOW,
                updated_at=NOW,
            )
            for pair, value in zip(self.pairs, values, strict=False)
            if value != "-"
        )
        return rater

    def machine(self, name, values, *, counts=False, **facts):
        """One that doesn't count, unless `counts`."""
        rater = self.rater(name, values)
        self.query_set.raters.filter(pk=rater.pk).update(kind="machine", **facts)
        if not counts:
            self.list.exclusions.create(query_set=self.query_set, rater=rater, at=NOW)
        return rater

    def member(self, role, **fields):
        return make.make_member(self.query_set, role, **fields)
