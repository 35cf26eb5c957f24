"""“NDCG in 90 seconds”, and the puzzles: both without an account."""

import pytest

from evaluation.guide.reports.learn import START
from tests.evaluation.scored import text_of

pytestmark = pytest.mark.django_db
URL = "/learn/"
PUZZLES = "/learn/puzzles/"


def ndcgs(response):
    return {bar.name: round(bar.ndcg.number, 6) for bar in response.context["bars"]}


def test_it_starts_with_the_worked_example_for_anybody(client):
    response = client.get(URL)

    assert response.status_code == 200
    assert ndcgs(response) == {"local": 0.571429, "recall": 0.444444, "global": 0.413793, "max": 0.4}
    text = text_of(response)
    for total in ("1.0500", "1.3500", "1.4500", "1.5000"):
        assert f"0.6000 / {total}" in text


def test_the_address_says_order_grades_cutoff_and_discount(client):
    """Grades 0.1, 1 and 0.7 at ranks 2, 1 and 3 under log2: 1 + 0.1 × 0.6309 + 0.7 × 0.5 = 1.4131 by hand."""
    response = client.get(URL, {"retrieved": "movie,helicopter,photo", "k": "3", "discount": "log2"})

    assert response.context["dcg"] == "1.4131"
    assert client.get(URL, {"grade-movie": "0"}).context["bars"][0].ndcg.number == 1.0


def test_the_arrows_lead_to_the_next_order_without_a_script(client):
    places = [place for place, _ in client.get(URL).context["retrieved"]]

    assert [place.up and place.up.retrieved for place in places] == [
        None,
        ("movie", "helicopter", "photo"),
        ("helicopter", "photo", "movie"),
    ]
    assert places[-1].down.retrieved == ("helicopter", "movie")
    after = client.get(f"{URL}?{places[1].up.query}")
    assert after.context["dcg"] == "1.0500"
    assert ndcgs(after)["local"] == 1.0


def test_a_missed_document_is_retrieved_by_its_arrow(client):
    missed = {place.document: place for place, _ in client.get(URL).context["missed"]}

    assert list(missed) == ["sequel", "dog"]
    assert missed["sequel"].up.retrieved == ("helicopter", "movie", "photo", "sequel")
    assert missed["sequel"].down is None


def test_nothing_retrieved_is_a_state_too(client):
    response = client.get(URL, {"retrieved": ""})

    assert response.status_code == 200
    assert set(ndcgs(response).values()) == {0.0}
    assert len(response.context["missed"]) == 5


def test_nothing_is_divided_by_zero(client):
    """Of no page, a rearranged page gains nothing either. Other documents would: their ideals aren't 0."""
    text = text_of(client.get(URL, {"retrieved": ""}))

    assert "0.0000 / 0.0000" not in text
    assert text.count("No gain is possible, which counts as <b>0.0000</b>") == 2
    assert "0.0000 / 1.4500 = <b>0.0000</b>" in text


@pytest.mark.parametrize(
    "wrong",
    [
        {"retrieved": "movie,movie"},
        {"retrieved": "cat"},
        {"k": "6"},
        {"k": "0"},
        {"discount": "none"},
        {"grade-dog": "2"},
    ],
)
def test_an_address_that_says_nothing_sensible_shows_the_start_and_says_so(client, wrong):
    response = client.get(URL, wrong)

    assert response.status_code == 422
    assert response.context["scene"] == START
    assert "Showing the start" in text_of(response)


def test_htmx_gets_the_documents_and_bars_only(client):
    part = client.get(URL, {"k": "1"}, headers={"HX-Request": "true"})

    assert "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]
    assert part.context["dcg"] == "0.1000"


def test_every_puzzle_has_one_right_answer_with_its_sum(client):
    for number in range(1, 6):
        puzzle = client.get(PUZZLES, {"puzzle": number}).context["puzzle"]
        assert "Next puzzle" not in text_of(client.get(PUZZLES, {"puzzle": number}))
        for key, _ in puzzle.choices:
            answered = client.get(PUZZLES, {"puzzle": number, "answer": key})
            assert answered.context["is_right"] == (key == puzzle.right)
            text = text_of(answered)
            assert ("Right." in text, "Not quite." in text) == (key == puzzle.right, key != puzzle.right)
            assert puzzle.rule in answered.content.decode() or "&" in puzzle.rule


@pytest.mark.parametrize("sent", [{"puzzle": "6"}, {"puzzle": "0"}, {"puzzle": "x"}])
def test_there_are_five_puzzles(client, sent):
    assert client.get(PUZZLES, sent).status_code == 404


def test_an_unknown_answer_is_no_answer(client):
    assert "Not quite" not in text_of(client.get(PUZZLES, {"puzzle": "1", "answer": "z"}))
