"""Intended queries: how they are named, changed and deleted, and what pages and files count of them."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from evaluation.models import Intent
from judgments.models import Act
from tests import factories as make
from tests.evaluation.differing_runs import make_differing_runs, queries_address
from tests.evaluation.two_runs import comparison_address

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(judgment_list):
    """“old” and “new” over the queries won, lost, tied and open; the page of tied is the same."""
    return make_differing_runs(judgment_list)


def make_intent(query_set, *ids, **fields):
    return make.make_intent(query_set, query_set.queries.filter(external_id__in=ids), **fields)


def queries_of(intent):
    return set(intent.intended.values_list("query__external_id", flat=True))


def post(client, query_set, **fields):
    return client.post(reverse("intents", args=[query_set.pk]), {"name": "Umlauts"} | fields)


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


def test_queries_are_named_by_tags_ids_and_texts(client, engineer, query_set, runs):
    response = post(client, query_set, tags="w", queries="lost\r\n\r\n  Open   WORDS\r\nlost\r\n")

    assert response.status_code == 302
    intent = Intent.objects.get()
    assert (intent.name, intent.created_by) == ("Umlauts", engineer)
    assert queries_of(intent) == {"won", "lost", "open"}
    assert Act.objects.get(subject="intent Umlauts").after == {"queries": 3}
    assert "Umlauts" in client.get(reverse("intents", args=[query_set.pk])).content.decode()


def test_an_id_counts_before_a_text(client, engineer, query_set):
    first, second = make.make_query(query_set, "b", text="a"), make.make_query(query_set, "a", text="c")

    post(client, query_set, queries="a")

    assert queries_of(Intent.objects.get()) == {second.external_id} != {first.external_id}


def test_a_text_names_every_query_that_has_it(client, engineer, query_set):
    for external_id in ("a", "b"):
        make.make_query(query_set, external_id, text="Same words")

    post(client, query_set, queries="same words")

    assert queries_of(Intent.objects.get()) == {"a", "b"}


def test_unknown_queries_and_tags_are_named_back(client, engineer, query_set, runs):
    page = post(client, query_set, tags="w, nope", queries="won\nstrange\nodd").content.decode()

    assert "No query has the tag “nope”." in page
    assert "This query set has no query with these IDs or texts: “strange”, “odd”." in page
    assert "won\nstrange\nodd</textarea>" in page
    assert not Intent.objects.exists()


def test_many_unknown_lines_are_counted(client, engineer, query_set, runs):
    response = post(client, query_set, queries="\n".join(f"x{n}" for n in range(13)))

    assert response.status_code == 422
    assert "“x9” and 3 more." in response.content.decode()


@pytest.mark.parametrize("fields", [{}, {"tags": " , "}, {"queries": " \n "}])
def test_some_queries_must_be_named(client, engineer, query_set, runs, fields):
    response = post(client, query_set, **fields)

    assert response.status_code == 422
    assert "Say which queries are meant" in response.content.decode()


def test_a_name_is_given_once(client, engineer, query_set, runs):
    make_intent(query_set, "won", name="umlauts")

    assert "is taken already" in post(client, query_set, queries="won").content.decode()


def test_queries_of_another_query_set_are_unknown(client, engineer, query_set, runs):
    make.make_query(make.make_query_set(name="Other"), "foreign", text="foreign", tags=["f"])

    page = post(client, query_set, queries="foreign", tags="f").content.decode()

    assert "“foreign”" in page
    assert "“f”" in page


def test_queries_can_be_changed(client, engineer, query_set, runs):
    intent = make_intent(query_set, "won", "lost", name="A")
    address = reverse("intent", args=[intent.pk])
    page = client.get(address).content.decode()
    assert re.search(r">\s*(won\nlost|lost\nwon)</textarea>", page)

    client.post(address, {"name": "B", "queries": "won\ntied\nopen"})

    intent.refresh_from_db()
    assert (intent.name, queries_of(intent)) == ("B", {"won", "tied", "open"})
    assert intent.chosen_at > make.NOW
    act = Act.objects.get(subject="intent B")
    assert act.before == {"name": "A", "queries": 2}
    assert act.after == {"name": "B", "queries": 3, "added": 2, "removed": 1}


def test_another_name_alone_chooses_no_queries(client, engineer, query_set, runs):
    intent = make_intent(query_set, "won", name="A")

    client.post(reverse("intent", args=[intent.pk]), {"name": "B", "queries": "won"})

    intent.refresh_from_db()
    assert (intent.name, intent.chosen_at) == ("B", make.NOW)


def test_an_intent_can_be_deleted(client, engineer, query_set, runs):
    intent = make_intent(query_set, "won")

    client.post(reverse("intent-delete", args=[intent.pk]))

    assert not Intent.objects.exists()
    assert query_set.queries.count() == 4
    assert Act.objects.get(verb="deleted").before == {"queries": 1}


def test_deleted_queries_leave_their_intents(client, engineer, query_set, runs):
    intent = make_intent(query_set, "won", "lost")

    query_set.queries.get(external_id="won").delete()

    assert queries_of(intent) == {"lost"}


def test_what_changed_counts_intended_and_other_queries(client, engineer, query_set, runs):
    """Changed: won, lost and open. Named: won, tied, and one that no run answers."""
    make.make_query(query_set, "nobody")
    intent = make_intent(query_set, "won", "tied", "nobody")
    address = reverse("impact", args=[query_set.pk], query={"runs": "-".join(str(run.pk) for run in runs)})

    page = text_of(client.get(f"{address}&intent={intent.pk}"))

    assert "Of 2 intended queries, 1 changed. Of 2 other queries, 2 changed." in page
    assert "33.3 % 1 of 3" in page
    assert "50.0 % 1 of 2" in page
    assert "1 of 3 intended queries isn’t compared: no run answers it." in page
    assert "before upload" in page


def test_queries_named_after_the_upload_are_said_to_be(client, engineer, query_set, runs):
    intent = make_intent(query_set, "won", chosen_at=runs[1].created_at + timedelta(seconds=1))
    address = reverse("impact", args=[query_set.pk], query={"runs": "-".join(str(run.pk) for run in runs)})

    assert "after upload" in text_of(client.get(f"{address}&intent={intent.pk}"))


def test_files_of_what_changed_say_which_queries_are_intended(client, engineer, query_set, runs):
    intent = make_intent(query_set, "won", "tied", name="A")
    address = reverse("impact", args=[query_set.pk], query={"runs": "-".join(str(run.pk) for run in runs)})
    address = f"{address}&intent={intent.pk}&format="

    file = client.get(f"{address}json").json()
    rows = b"".join(client.get(f"{address}csv").streaming_content).decode("utf-8-sig")

    (counts,) = file["intent"]["runs"]
    assert (file["intent"]["name"], file["intent"]["queries"]) == ("A", 2)
    assert (counts["intended"]["changed"], counts["others"]["changed"]) == (1, 2)
    assert (counts["precision"], counts["recall"]) == (1 / 3, 1 / 2)
    expected = {"won": True, "tied": True, "lost": False, "open": False}
    assert {query["id"]: query["intended"] for query in file["queries"]} == expected
    told = {row["query id"]: row["intended"].lower() for row in csv.DictReader(io.StringIO(rows))}
    assert told == {name: str(yes).lower() for name, yes in expected.items()}


def test_the_comparison_counts_improved_worse_and_undecided(client, engineer, judgment_list, runs):
    intent = make_intent(judgment_list.query_set, "won", "open")

    page = text_of(client.get(comparison_address(judgment_list, *runs, intent=intent.pk)))

    assert "Of 2 intended queries, 2 changed, 1 improved and 1 got worse." in page
    assert "Of 2 other queries, 1 changed, 0 improved and 1 got worse." in page
    assert "66.7 % 2 of 3" in page
    assert "100.0 % 2 of 2" in page


def test_counts_lead_to_their_queries(client, engineer, judgment_list, runs):
    intent = make_intent(judgment_list.query_set, "won", "open")
    page = client.get(comparison_address(judgment_list, *runs, intent=intent.pk)).content.decode()
    section = page.split('id="intent"')[1].split("</section>")[0]
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]*/queries/[^"]*)"', section)]

    shown = [
        set(re.findall(r'<code class="id">(\w+)</code>', client.get(link).content.decode())) for link in links
    ]

    assert shown == [{"won", "open"}, {"won"}, {"open"}, {"open"}, {"lost"}, {"lost"}]


def test_files_of_a_comparison_hold_the_counts(client, engineer, judgment_list, runs):
    intent = make_intent(judgment_list.query_set, "won", "open", name="A")
    address = comparison_address(judgment_list, *runs, page="comparison-report", intent=intent.pk)

    file = client.get(f"{address}&format=json").json()
    text = b"".join(client.get(f"{address}&format=csv").streaming_content).decode("utf-8-sig")
    old, new = csv.DictReader(io.StringIO(text))

    (counts,) = file["intent"]["runs"]
    assert counts["intended"] == {
        "queries": 2, "changed": 2, "improved": 1, "worse": 1, "same": 0, "undecided": 1
    }  # fmt: skip
    assert "changes" not in file["figures"]
    assert (old["intent"], old["intended: changed"]) == ("A", "")
    assert (new["intended: improved"], new["others: worse"]) == ("1", "1")
    assert float(new["precision of the intent"]) == 2 / 3
    assert "Did it change what was intended?" in text_of(client.get(address))


def test_without_an_intent_files_hold_empty_cells(client, engineer, judgment_list, runs):
    address = comparison_address(judgment_list, *runs, page="comparison-report")

    assert client.get(f"{address}&format=json").json()["intent"] is None


def test_where_more_is_not_better_nothing_improves(client, engineer, judgment_list, runs):
    intent = make_intent(judgment_list.query_set, "won")
    address = comparison_address(judgment_list, *runs, intent=intent.pk, measures="Judged@10", on="Judged@10")

    assert "went up and" in text_of(client.get(address))


def test_an_intent_that_is_gone_is_told(client, engineer, judgment_list, runs):
    page = text_of(client.get(comparison_address(judgment_list, *runs, intent=8_999_999)))

    assert "The intent of this link was deleted, or isn’t in this query set." in page


def test_listed_queries_can_be_named(client, engineer, judgment_list, runs):
    address = queries_address(judgment_list, runs, show="changed", tag="l")
    assert "Name this 1 query as intended" in text_of(client.get(address))

    response = client.post(address, {"name": "These"})

    intent = Intent.objects.get()
    assert (intent.name, queries_of(intent)) == ("These", {"lost"})
    assert response["Location"] == comparison_address(judgment_list, *runs, intent=intent.pk)
    assert client.post(address, {"name": "these"}).status_code == 422
    assert client.post(address, {"name": ""}).status_code == 422
