"""An admin sends the results of runs to a rater, in the browser."""

import re

from playwright.sync_api import expect

from judgments.lists.actions.lists import create_list
from judgments.models import JudgmentList, Pair, QuerySet, Scale, User
from tests import factories as make


def test_an_admin_pools_two_runs_and_a_rater_gets_the_pairs(sign_in, site, check_accessibility):
    shop = QuerySet.objects.get(name="Outdoor shop")
    fresh = create_list(
        query_set=shop,
        user=User.objects.get(username="admin"),
        name="Second pass",
        description="",
        guidelines="",
        scale=Scale.objects.get(query_set=None, name="Binary"),
        overlap=1,
        rule="median",
        tie="lower",
    )
    page = sign_in("admin")
    page.goto(f"{site}/lists/{fresh.pk}/")
    page.get_by_role("link", name="Add pairs").click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(4)
    check_accessibility()

    page.get_by_label("postgres-fts").uncheck()
    page.get_by_label("keyword-popularity").uncheck()
    page.get_by_label("Depth").fill("3")
    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_text("Pairs in the pool")).to_be_visible()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    assert "depth=3" in page.url
    check_accessibility()
    button = page.get_by_role("button", name=re.compile(r"^Add [\d,]+ pairs$"))
    promised = int(re.sub(r"\D", "", button.inner_text()))
    assert 25 * 3 < promised <= 25 * 6
    button.click()

    expect(page.get_by_text(f"{promised} pairs added.")).to_be_visible()
    assert Pair.objects.filter(judgment_list=fresh).count() == promised
    check_accessibility()

    page.context.clear_cookies()
    page = sign_in("rater")
    page.goto(f"{site}/lists/{fresh.pk}/judge/")
    expect(page.locator(".doc-card")).to_be_visible()
    expect(page.locator(".query-bar")).to_contain_text("Query 1 of 25")


def test_an_admin_adds_what_decides_between_two_runs(sign_in, site, check_accessibility):
    shop = QuerySet.objects.get(name="Outdoor shop")
    fresh = make.make_list(shop, name="Deciding")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{fresh.pk}/pairs/")
    page.get_by_label("Documents").select_option("what decides")
    page.get_by_label("postgres-fts").uncheck()
    page.get_by_label("keyword-popularity").uncheck()
    page.get_by_label("Judgments at most").fill("50")
    page.get_by_role("button", name="Preview").click()

    expect(
        page.get_by_text("This batch has 44 pairs that decide most, and 6 drawn at random")
    ).to_be_visible()
    check_accessibility()
    page.get_by_role("button", name="Add 50 pairs").click()
    expect(page.get_by_text("50 pairs added.")).to_be_visible()
    assert Pair.objects.filter(judgment_list=fresh).count() == 50

    page.goto(f"{site}/lists/{fresh.pk}/log/")
    check_accessibility()
    judged = JudgmentList.objects.get(name="First pass")
    runs = [shop.runs.get(name=name).pk for name in ("bm25", "title-trigram")]
    page.goto(f"{site}/lists/{judged.pk}/pairs/?run={runs[0]}&run={runs[1]}&documents=deciding")
    expect(page.get_by_text("So far bm25 is ahead of title-trigram")).to_be_visible()
    check_accessibility()


def test_an_admin_lets_it_go_on_until_it_is_decided_and_stops_it(sign_in, site, check_accessibility):
    shop = QuerySet.objects.get(name="Outdoor shop")
    fresh = make.make_list(shop, name="Deciding")
    runs = [shop.runs.get(name=name).pk for name in ("bm25", "title-trigram")]
    page = sign_in("admin")
    page.goto(f"{site}/lists/{fresh.pk}/pairs/?run={runs[0]}&run={runs[1]}&documents=deciding&judgments=20")
    page.get_by_label("Total judgments at most").fill("80")
    page.get_by_role("button", name="Keep adding until decided").dblclick()

    state = page.get_by_role("region", name="Adding until decided")
    expect(state).to_contain_text("20 of at most 80 judgments requested")
    check_accessibility()
    assert Pair.objects.filter(judgment_list=fresh).count() == 20

    page.get_by_role("button", name="Stop adding pairs").click()
    expect(state).to_contain_text("Stopped before it was decided")
    check_accessibility()


def test_an_engineer_learns_how_good_a_run_is_from_a_random_sample(sign_in, site, check_accessibility):
    shop = QuerySet.objects.get(name="Outdoor shop")
    fresh = make.make_list(shop, name="Sampled")
    page = sign_in("engineer")
    page.goto(f"{site}/lists/{fresh.pk}/pairs/")
    for name in ("keyword-popularity", "postgres-fts", "title-trigram"):
        page.get_by_label(name).uncheck()
    expect(page.get_by_label("Judgments at most")).to_be_hidden()
    page.get_by_label("Documents").select_option("a random sample")
    page.get_by_label("Judgments at most").fill("60")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Too few documents have been drawn at random and judged yet")).to_be_visible()
    check_accessibility()
    page.get_by_role("button", name="Add 60 pairs").dblclick()
    # Where both clicks are sent, the second one's answer is on the page.
    expect(page.get_by_text(re.compile("60 pairs added|perhaps by a first click"))).to_be_visible()
    pairs = Pair.objects.filter(judgment_list=fresh)
    assert pairs.count() == 60

    make.make_all_consensus((pair, 2.0) for pair in pairs)
    page.goto(f"{site}/lists/{fresh.pk}/runs/{shop.runs.get(name='bm25').pk}/")
    page.get_by_role("link", name="judge a random sample").click()

    expect(page.get_by_text("60 documents were drawn at random")).to_be_visible()
    expect(page.get_by_role("button", name="Add")).to_be_visible()
    check_accessibility()


def test_the_button_stays_near_however_many_runs_there_are(sign_in, site):
    judgment_list = JudgmentList.objects.get(name="First pass")
    for number in range(40):
        make.make_run(judgment_list.query_set, name=f"nightly {number}")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{judgment_list.pk}/pairs/")

    button = page.get_by_role("button", name="Preview").bounding_box()

    assert button["y"] + button["height"] <= page.viewport_size["height"]
    assert page.locator("fieldset .choices").evaluate("box => box.scrollHeight > box.clientHeight")


def test_the_holes_of_a_run_go_to_the_raters(sign_in, site, check_accessibility):
    page = sign_in("admin")
    judgment_list = JudgmentList.objects.get(name="First pass")
    run = judgment_list.query_set.runs.get(name="title-trigram")
    before = judgment_list.pairs.count()
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/{run.pk}/")
    check_accessibility()

    page.get_by_role("link", name="Request missing judgments").click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    expect(page.get_by_text("this list’s pace")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Add")).click()

    expect(page.get_by_text("pairs added.")).to_be_visible()
    assert judgment_list.pairs.count() > before
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/{run.pk}/")
    page.get_by_role("link", name="Request missing judgments").click()
    expect(page.get_by_text("This list already has all of these pairs.")).to_be_visible()


def test_a_bad_depth_is_said_beside_its_field(sign_in, site, check_accessibility):
    page = sign_in("admin")
    page.expected_errors = ("422",)
    judgment_list = JudgmentList.objects.get(name="First pass")
    page.goto(f"{site}/lists/{judgment_list.pk}/pairs/")

    page.get_by_label("Depth").fill("0")
    page.get_by_role("button", name="Preview").click()

    expect(page.locator(".errorlist")).to_contain_text("Enter 1 or more")
    check_accessibility()


def test_the_page_of_pairs_fits_a_phone(sign_in, site):
    page = sign_in("admin")
    page.set_viewport_size({"width": 390, "height": 844})
    judgment_list = JudgmentList.objects.get(name="First pass")
    run = judgment_list.query_set.runs.get(name="bm25")

    for query in ("", f"?run={run.pk}&depth=20"):
        page.goto(f"{site}/lists/{judgment_list.pk}/pairs/{query}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
