"""An admin looks for queries, changes one, and is told when somebody else was faster, in the browser."""

import re

from playwright.sync_api import expect

from judgments.content.actions.content import add_query, change_query
from judgments.content.reports.content import mark_of
from judgments.lists.actions.pairs import add_pairs
from judgments.models import Query


def test_an_admin_finds_a_query_while_typing_and_tags_what_was_found(sign_in, site, check_accessibility):
    query = Query.objects.get(text="water bottle")
    page = sign_in("admin")
    page.goto(f"{site}/query-sets/{query.query_set_id}/queries/")
    check_accessibility()

    page.get_by_label("Find queries").press_sequentially("water bott")

    expect(page.locator("#found-count")).to_contain_text("1 query found")
    expect(page).to_have_url(re.compile(r"[?&]q=water%20bott"))
    page.get_by_label("Tag", exact=True).fill("drinks")
    page.get_by_label("All matches, not only those checked").check()
    page.get_by_role("button", name="Add the tag").click()
    expect(page.get_by_text("The tag “drinks” was added to 1 query.")).to_be_visible()
    page.get_by_role("navigation", name="Tags").get_by_role("link", name="drinks").click()
    expect(page.get_by_role("link", name="water bottle", exact=True)).to_be_visible()
    check_accessibility()


def test_boxes_take_no_room_and_stand_in_line_with_their_buttons(sign_in, site):
    query_set = Query.objects.get(text="water bottle").query_set
    page = sign_in("admin")
    page.goto(f"{site}/query-sets/{query_set.pk}/documents/")

    def middle(found):
        box = found.bounding_box()
        return box["y"] + box["height"] / 2

    assert page.locator("tbody td:first-child").first.bounding_box()["width"] < 50
    button = middle(page.get_by_role("button", name="Find"))
    for found in (page.get_by_label("Without a grade"), page.get_by_text("Without a grade")):
        assert abs(middle(found) - button) <= 1.5


def test_a_form_that_is_out_of_date_shows_both_versions_and_loses_nothing(sign_in, site, check_accessibility):
    query = Query.objects.get(text="water bottle")
    page = sign_in("admin")
    page.goto(f"{site}/queries/{query.pk}/edit/")
    change_query(
        query=query,
        seen_mark=mark_of(query),
        text="bottle for water",
        information_need=query.information_need,
        weight=query.weight,
        tags=query.tags,
    )

    page.expected_errors = ("422",)
    page.get_by_label("Query", exact=True).fill("drinking bottle")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Somebody changed this query after you opened it.")).to_be_visible()
    expect(page.get_by_role("cell", name="bottle for water")).to_be_visible()
    expect(page.get_by_label("Query", exact=True)).to_have_value("drinking bottle")
    check_accessibility()
    page.get_by_role("button", name="Save mine").click()
    expect(page.get_by_role("heading", name="drinking bottle")).to_be_visible()
    expect(page.get_by_text("Ada Admin changed it")).to_be_visible()
    check_accessibility()


def test_a_document_is_edited_with_its_further_fields(sign_in, site, check_accessibility):
    query = Query.objects.get(text="water bottle")
    document = query.query_set.documents.order_by("pk").first()
    page = sign_in("admin")
    page.goto(f"{site}/documents/{document.pk}/edit/")
    check_accessibility()

    page.get_by_label(re.compile(r"^Name")).last.fill("warranty")
    page.get_by_label(re.compile(r"^Value")).last.fill("2 years")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("2 years").first).to_be_visible()
    expect(page.get_by_role("rowheader", name="warranty")).to_be_visible()
    check_accessibility()


def test_on_a_phone_the_query_stays_in_sight_when_its_table_scrolls(sign_in, site):
    query = Query.objects.get(text="water bottle")
    page = sign_in("admin")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}/query-sets/{query.query_set_id}/queries/")
    region = page.get_by_role("region", name="Queries found")
    name = region.get_by_role("rowheader").first

    scrolled = region.evaluate(
        "region => { region.scrollLeft = region.scrollWidth; return region.scrollLeft; }"
    )

    assert scrolled > 100
    assert abs(name.bounding_box()["x"] - region.bounding_box()["x"]) < 2
    assert name.bounding_box()["width"] < 200


def test_an_admin_deletes_what_was_added_by_mistake(sign_in, site, check_accessibility):
    """Three queries too many, of which one has come into a list: it stays."""
    query_set = Query.objects.get(text="water bottle").query_set
    wrong = [add_query(query_set=query_set, external_id=f"wrong-{n}", text=f"mistake {n}") for n in range(3)]
    judgment_list = query_set.judgment_lists.first()
    document = query_set.documents.first()
    add_pairs(judgment_list=judgment_list, pairs=[(wrong[0].pk, document.pk)])
    page = sign_in("admin")
    page.goto(f"{site}/query-sets/{query_set.pk}/queries/")

    page.get_by_label("Find queries").press_sequentially("mistake")
    expect(page.locator("#found-count")).to_contain_text("3 queries found")
    page.get_by_label("All matches, not only those checked").check()
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_text("2 queries are deleted:")).to_be_visible()
    expect(page.get_by_text("1 stays,")).to_be_visible()
    check_accessibility()
    page.get_by_role("button", name="Delete 2 queries").click()
    expect(page.get_by_text("2 queries deleted. 1 stayed.")).to_be_visible()

    page.goto(f"{site}/lists/{judgment_list.pk}/pairs/remove/?q=mistake")
    check_accessibility()
    page.get_by_role("checkbox", name="for mistake 0").check()
    page.get_by_role("button", name="Remove…").click()
    check_accessibility()
    page.get_by_role("button", name="Remove 1 pair").click()
    expect(page.get_by_text("1 pair removed.")).to_be_visible()
    check_accessibility()
    page.goto(f"{site}/query-sets/{query_set.pk}/queries/?q=mistake")
    page.get_by_role("checkbox", name="Choose mistake 0").check()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete 1 query").click()
    expect(page.get_by_text("1 query deleted.")).to_be_visible()
    assert not Query.objects.filter(pk__in=[one.pk for one in wrong]).exists()
