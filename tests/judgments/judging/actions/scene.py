"""A judgment list and its raters, for tests of judging."""

from datetime import timedelta
from uuid import uuid4

from judgments.judging.actions import judging, queue
from judgments.lists.actions.pairs import add_pairs
from judgments.models import GoldDraw
from tests import factories as make

NOW = make.NOW
LATER = NOW + timedelta(minutes=16)


class Scene:
    """A list of `queries` times `documents` pairs, and what its raters do."""

    def __init__(self, queries=2, documents=3, **fields):
        self.query_set = make.make_query_set()
        self.list = make.make_list(self.query_set, **fields)
        document_ids = [make.make_document(self.query_set).pk for _ in range(documents)]
        query_ids = [make.make_query(self.query_set).pk for _ in range(queries)]
        add_pairs(
            judgment_list=self.list, pairs=[(query, one) for query in query_ids for one in document_ids]
        )

    def rater(self):
        return make.make_member(self.query_set, "rater")

    def claim(self, user, at=NOW, **more):
        return [pairs.pair_id for pairs in queue.claim(user=user, judgment_list=self.list, at=at, **more)]

    def draw_gold(self, user, pair):
        """As if chance had mixed this gold pair of the only query in for this rater."""
        GoldDraw.objects.create(
            judgment_list=self.list,
            rater=queue.enter(user, self.list).rater,
            pair=pair,
            query_position=self.list.list_queries.get().position,
            drawn_at=NOW,
        )

    def judge(self, user, pair_id, value=1.0, at=NOW, request_id=None, **more):
        if "reason" in more:
            value = None
        make.make_handout(pair_id, user)
        return judging.record_judgment(
            user=user,
            judgment_list=self.list,
            pair_id=pair_id,
            request_id=request_id or uuid4(),
            value=value,
            at=at,
            **more,
        )

    def undo(self, user, at=NOW):
        undone = judging.undo(user=user, judgment_list=self.list, at=at)
        return undone and undone.pair_id

    def skip(self, user, pair_id, at=NOW):
        queue.skip(user=user, judgment_list=self.list, pair_id=pair_id, at=at)

    def finish(self, user, at=NOW, most=100):
        """Judges until nothing is left; the pairs in the order in which they came."""
        order = []
        while (pairs := self.claim(user, at)) and len(order) < most:
            order.append(pairs[0])
            self.judge(user, pairs[0], at=at)
        return order
