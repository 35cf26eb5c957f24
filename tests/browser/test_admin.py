"""An admin's day, in the browser: from nothing to a list that raters can judge."""

import re

import pytest
from playwright.sync_api import Page, expect

from judgments.models import ConsensusGrade, JudgmentList, Pair, QuerySet, Scale
from tests.browser.test_engineer import drop_file

QUERIES = "query_id,query,information_need,weight,tags\nq1,red kettle,Wants a kettle that is red.,12,head\nq2,teapot,,3,tail\n"
DOCUMENTS = (
    "document_id,title,body,color\nd1,Red kettle,<p>A <b>red</b> kettle.</p>,red\nd2,Blue kettle,Blue.,blue\n"
)
JUDGMENTS = "query,document,rater,grade\nq1,d1,ann,2\nq1,d2,ann,1\nq1,d2,bob,0\n"


ONE_LINE = 36
"""Pixels: on a phone no page spends more on saying where it is."""


def import_file(page: Page, name: str, content: str) -> None:
    """Drops the file on the import page that is open, looks at the preview and confirms."""
    drop_file(page, name, content)
    page.get_by_role("button", name=re.compile("Preview|Upload|Check")).first.click()
    expect(page.locator("table.data").first).to_be_visible()


def test_a_query_set_grows_from_nothing_to_a_list_with_grades(sign_in_at_home, site, check_accessibility):
    page = sign_in_at_home("admin")
    check_accessibility()
    page.get_by_role("link", name="Query sets").click()
    check_accessibility()

    page.get_by_role("link", name="New query set").first.click()
    page.get_by_label("Name").fill("Kitchen")
    page.locator("main .form-actions button").click()
    expect(page.locator("h1")).to_have_text("Kitchen")
    check_accessibility()
    kitchen = QuerySet.objects.get(name="Kitchen")

    for kind, content in (("queries", QUERIES), ("documents", DOCUMENTS)):
        page.goto(f"{site}/query-sets/{kitchen.pk}/import/{kind}/")
        check_accessibility()
        import_file(page, f"{kind}.csv", content)
        check_accessibility()
        page.get_by_role("button", name=re.compile("^Import")).click()
        expect(page.get_by_text(re.compile("2 (new|queries|documents)")).first).to_be_visible()
    page.goto(f"{site}/query-sets/{kitchen.pk}/queries/")
    expect(page.get_by_role("row", name=re.compile("red kettle"))).to_contain_text("12")
    check_accessibility()
    page.goto(f"{site}/documents/{kitchen.documents.get(external_id='d1').pk}/")
    expect(page.locator("main b", has_text="red").first).to_be_visible()
    check_accessibility()

    page.goto(f"{site}/query-sets/{kitchen.pk}/lists/new/")
    check_accessibility()
    page.get_by_label("Name", exact=True).fill("Main")
    page.get_by_label("Scale").select_option(label="TREC 0–3")
    page.get_by_text("All settings").click()
    page.get_by_label("Raters per pair", exact=True).fill("2")
    check_accessibility()
    page.locator("main .form-actions button").click()
    main = JudgmentList.objects.get(name="Main")
    page.goto(f"{site}/lists/{main.pk}/import/")
    check_accessibility()
    import_file(page, "judgments.csv", JUDGMENTS)
    page.get_by_role("button", name=re.compile("^Import")).click()
    expect(page.get_by_text(re.compile("3 ")).first).to_be_visible()
    page.goto(f"{site}/lists/{main.pk}/")
    check_accessibility()

    grades = dict(
        ConsensusGrade.objects.values_list("document__external_id", "value").filter(judgment_list=main)
    )
    assert grades == {"d1": 2, "d2": 0}
    assert Pair.objects.filter(judgment_list=main).count() == 2


def test_a_bad_file_is_reported_by_line_and_changes_nothing(sign_in, site, check_accessibility):
    page = sign_in("admin")
    page.expected_errors = ("422",)
    shop = QuerySet.objects.get(name="Outdoor shop")
    page.goto(f"{site}/query-sets/{shop.pk}/import/queries/")

    drop_file(page, "queries.csv", "query_id,query,weight\nx1,tent,1\nx2,stove,many\nx1,again,1\n")
    page.get_by_role("button", name=re.compile("Preview|Upload|Check")).first.click()

    expect(page.locator(".report").first).to_contain_text("many")
    expect(page.locator(".report").first).to_contain_text("line 3")
    assert not shop.queries.filter(external_id__startswith="x").exists()
    check_accessibility()


@pytest.mark.sampled
def test_a_scale_is_made_by_page(sign_in_at_home, site, check_accessibility):
    page = sign_in_at_home("admin")
    page.get_by_role("link", name="Scales").click()
    check_accessibility()
    page.goto(f"{site}/scales/new/")
    check_accessibility()

    page.get_by_label("Name", exact=True).fill("Two steps")
    for number, label in enumerate(("No", "Yes")):
        page.locator(f"input[name='grades-{number}-value']").fill(str(number))
        page.locator(f"input[name='grades-{number}-label']").fill(label)
        page.locator(f"input[name='grades-{number}-key']").fill(str(number))
    page.get_by_role("button", name=re.compile("Make|Save|Create")).first.click()

    expect(page.locator("h1")).to_contain_text("Two steps")
    assert list(Scale.objects.get(name="Two steps").grades.values_list("label", "gain")) == [
        ("No", 0),
        ("Yes", 1),
    ]
    check_accessibility()


@pytest.mark.sampled
def test_settings_members_and_pausing(sign_in, site, check_accessibility):
    page = sign_in("admin")
    first_pass = JudgmentList.objects.get(name="First pass")
    page.goto(f"{site}/lists/{first_pass.pk}/edit/")
    check_accessibility()
    page.goto(f"{site}/query-sets/{first_pass.query_set_id}/members/")
    expect(page.get_by_role("row", name=re.compile("noor"))).to_contain_text("Rater")
    check_accessibility()
    page.goto(f"{site}/lists/{first_pass.pk}/")

    page.locator("summary", has_text="Pause").click()
    page.get_by_label("Note").fill("Back on Monday.")
    check_accessibility()
    page.get_by_role("button", name="Pause list").click()

    expect(page.locator(".state-paused").first).to_be_visible()
    expect(page.get_by_text("Back on Monday.")).to_be_visible()
    assert JudgmentList.objects.get(pk=first_pass.pk).paused


@pytest.mark.sampled
def test_pages_of_an_admin_fit_a_phone(sign_in, site):
    page = sign_in("admin")
    page.set_viewport_size({"width": 360, "height": 844})
    first_pass = JudgmentList.objects.get(name="First pass")
    shop, query = first_pass.query_set, first_pass.query_set.queries.first()

    for path in (
        "/query-sets/",
        "/query-sets/new/",
        f"/query-sets/{shop.pk}/",
        f"/query-sets/{shop.pk}/queries/",
        f"/query-sets/{shop.pk}/documents/",
        f"/query-sets/{shop.pk}/lists/",
        f"/query-sets/{shop.pk}/members/",
        f"/query-sets/{shop.pk}/runs/",
        f"/query-sets/{shop.pk}/import/documents/",
        f"/queries/{query.pk}/",
        f"/documents/{shop.documents.first().pk}/",
        f"/lists/{first_pass.pk}/",
        f"/lists/{first_pass.pk}/edit/",
        f"/lists/{first_pass.pk}/raters/",
        f"/lists/{first_pass.pk}/gold/",
        f"/lists/{first_pass.pk}/import/",
        "/scales/",
        f"/scales/{first_pass.scale_id}/",
        "/scales/new/",
    ):
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        if (trail := page.locator(".trail")).count():
            assert trail.bounding_box()["height"] < ONE_LINE, path
