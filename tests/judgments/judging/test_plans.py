"""Every statement of judging follows an index, however long the list. EXPLAIN tells, on 8,000 pairs."""

from uuid import uuid4

import pytest
from django.db import connection

from judgments.judging.actions import judging, queue
from judgments.lists.actions.pairs import add_pairs, settle
from judgments.models import FREE, Document, Judgment, Query, RaterQueue, Slot
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW
from tests.judgments.plans import plan_of

QUERIES, DOCUMENTS = 400, 20
BIG = {"judgments_slot", "judgments_judgment", "judgments_pair"}
BY_INDEX = {"Index Scan", "Index Only Scan", "Bitmap Heap Scan", "ModifyTable"}


@pytest.fixture(scope="module")
def scene(migrated, django_db_blocker):
    """A list that one rater has half judged, another to its end, and statistics that know it."""
    with django_db_blocker.unblock():
        query_set = make.make_query_set()
        judgment_list = make.make_list(query_set, overlap=3, adaptive_step=1, overlap_most=4)
        documents = Document.objects.bulk_create(
            Document(query_set=query_set, external_id=str(nth)) for nth in range(DOCUMENTS)
        )
        queries = Query.objects.bulk_create(
            Query(query_set=query_set, external_id=str(nth), text=str(nth)) for nth in range(QUERIES)
        )
        add_pairs(
            judgment_list=judgment_list, pairs=[(query.pk, one.pk) for query in queries for one in documents]
        )
        users = [make.make_member(query_set, "rater") for _ in range(3)]
        raters = [make.make_rater(query_set, user) for user in users]
        keys = list(judgment_list.pairs.order_by("pk").values_list("pk", flat=True))
        for rater, judged in zip(raters, (len(keys) // 2, len(keys), 0), strict=True):
            judge_all(judgment_list, rater, keys[:judged])
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # what an index alone can answer is known then
        yield judgment_list, users
        migrated.restore()


def judge_all(judgment_list, rater, keys):
    common = {"query_set": judgment_list.query_set, "judgment_list": judgment_list, "rater": rater}
    Judgment.objects.bulk_create(
        [Judgment(**common, pair_id=key, value=1, created_at=NOW, updated_at=NOW) for key in keys],
        batch_size=5_000,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "ANALYZE judgments_slot, judgments_judgment"
        )  # a fresh table is planned as an empty one
    for start in range(0, len(keys), 10_000):
        ordinals = Slot.objects.filter(pair__in=keys[start : start + 10_000], state="open", rater=None)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE judgments_slot SET state = 'done', rater_id = %s WHERE id IN ("
                "SELECT min(id) FROM judgments_slot WHERE id = ANY(%s) GROUP BY pair_id)",
                [rater.pk, list(ordinals.values_list("pk", flat=True))],
            )


def plans(act):
    """The plan of every statement of an act that reads or writes a table of judging."""
    statements = []

    def note(execute, sql, params, many, context):
        statements.extend((one, params) for one in sql.split(";"))  # several may go in one message
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        act()
    rows = []
    with connection.cursor() as cursor:
        for sql, params in statements:
            if "judgments_" in sql and not sql.startswith(("SAVEPOINT", "RELEASE")):
                cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                rows.append((sql, plan_of(cursor)))
    return rows


def scans(plan):
    """Every scan of a plan: its kind, its table, and its index where one is read row by row."""
    if "Relation Name" in plan:
        yield plan["Node Type"], plan["Relation Name"], plan.get("Index Name")
    for below in plan.get("Plans", []):
        yield from scans(below)


def assert_by_index(found):
    assert found
    for sql, plan in found:
        others = [(kind, table) for kind, table, _ in scans(plan) if table in BIG and kind not in BY_INDEX]
        assert others == [], f"{others} in {sql}"


@pytest.fixture
def acts(scene):
    judgment_list, _ = scene

    def act(name, user, at=NOW, **more):
        return lambda: getattr(queue if name in ("claim", "renew", "skip") else judging, name)(
            user=user, judgment_list=judgment_list, at=at, **more
        )

    return act


@pytest.mark.django_db
@pytest.mark.parametrize("nth", [0, 1, 2])
def test_claiming_follows_indexes(scene, acts, nth):
    """For one in the middle, one at the end (who may take nothing), one who begins."""
    _, users = scene

    assert_by_index(plans(acts("claim", users[nth], count=30)))
    assert_by_index(plans(acts("claim", users[nth], count=40, with_skipped=True)))


@pytest.mark.django_db
def test_a_heartbeat_a_judgment_a_change_later_and_undo_follow_indexes(scene, acts):
    _, users = scene
    user = users[2]
    first, second, *rest = [one.pair_id for one in acts("claim", user, count=10)()]

    assert_by_index(plans(acts("renew", user, pair_ids=rest)))
    assert_by_index(plans(acts("skip", user, pair_id=second)))
    for value in (1.0, 3.0):
        answer = {"pair_id": first, "request_id": uuid4(), "value": value}
        assert_by_index(plans(acts("record_judgment", user, at=LATER, **answer)))
        assert_by_index(plans(acts("record_judgment", user, at=LATER, **answer)))
    for _ in range(2):
        assert_by_index(plans(acts("undo", user, at=LATER)))


@pytest.mark.django_db
def test_what_is_open_and_what_was_judged_is_read_from_indexes_alone(scene, acts):
    _, users = scene
    rows = plans(acts("claim", users[2], count=30))
    claims = [set(scans(plan)) for sql, plan in rows if "WITH candidates" in sql]
    nexts = [set(scans(plan)) for sql, plan in rows if "SELECT slot.query_position" in sql]

    assert claims
    assert nexts
    judged = ("Index Only Scan", "judgments_judgment", "judgment_once")
    for plan in [*claims, *nexts]:
        assert {judged, ("Index Only Scan", "judgments_slot", "slot_open")} <= plan


def rows_read(act):
    """How many rows of slots and judgments an act really reads, by the counters of the server's plans."""
    statements = []

    def note(execute, sql, params, many, context):
        statements.extend((one, params) for one in sql.split(";"))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        act()
    total = 0
    with connection.cursor() as cursor:
        for sql, params in statements:
            if "judgments_slot" in sql and sql.lstrip().startswith("SELECT"):
                cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
                total += touched(plan_of(cursor))
    return total


def touched(plan):
    own = plan.get("Actual Rows", 0) + plan.get("Rows Removed by Filter", 0)
    loops = plan.get("Actual Loops", 1)
    below = sum(touched(one) for one in plan.get("Plans", []))
    return (own * loops if "Relation Name" in plan else 0) + below


@pytest.mark.django_db
def test_who_has_judged_all_looks_through_the_list_once_and_then_at_what_came_back_only(scene, acts):
    judgment_list, users = scene
    done = users[1]
    assert acts("claim", done)() == []
    assert RaterQueue.objects.get(rater__user=done).round_over

    assert rows_read(acts("claim", done)) < 100

    free_slots = Slot.objects.filter(judgment_list=judgment_list, state="open", lease_until=FREE)[:7]
    Slot.objects.filter(pk__in=[slot.pk for slot in free_slots]).update(lease_until=NOW)
    assert rows_read(acts("claim", done)) < 200


@pytest.mark.django_db
def test_all_pairs_are_looked_at_before_a_slot_is_added(scene):
    """Else each look passes over the slots added so far, where the table of slots is planned as an empty one."""
    judgment_list, _ = scene

    (adding,) = [
        plan for _, plan in plans(lambda: settle(judgment_list)) if plan.get("Operation") == "Insert"
    ]

    (source,) = [below for below in adding["Plans"] if below["Parent Relationship"] == "Outer"]
    assert "Sort" in {source["Node Type"], *(below["Node Type"] for below in source["Plans"])}
