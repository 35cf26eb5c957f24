"""An import that a worker does, in the browser."""

import re

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import expect

from judgments.content.actions.query_sets import archive_query_set
from judgments.files.sql import progress
from judgments.files.views import uploads
from judgments.models import QuerySet, Upload
from tests.judgments.working import forget_jobs, work


@pytest.fixture
def importing(sign_in, site, page, monkeypatch):
    """The page of an import that has just been asked for."""
    monkeypatch.setattr(uploads, "is_large", lambda upload: True)
    forget_jobs()
    sign_in("admin")
    shop = QuerySet.objects.get(name="Outdoor shop")
    page.goto(f"{site}/query-sets/{shop.pk}/import/queries/")
    assert page.locator(".side > pre").evaluate("one => one.scrollWidth <= one.clientWidth"), (
        "the example is cut"
    )
    page.get_by_label("Drop a file").set_input_files(
        {
            "name": "more.csv",
            "mimeType": "text/csv",
            "buffer": b"query_id,query\nnew-1,gaiters\nnew-2,crampons\n",
        }
    )
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("button", name="Import 2 queries").click()
    expect(page.get_by_role("status").filter(has_text="Waiting for a worker")).to_be_visible()
    return page


def test_the_page_shows_how_far_an_import_is_and_leads_to_its_rows(importing, check_accessibility):
    page, upload = importing, Upload.objects.latest("created_at")
    check_accessibility()
    with transaction.atomic():
        progress.tell(upload.pk, progress.SETTLING, 25_000, 50_000, 100)
        running = page.get_by_role("status").filter(has_text="25,000 of 50,000")
        expect(running).to_contain_text("250 a second, about 2 minutes left")
        expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.500")
        check_accessibility()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()

    work()

    page.wait_for_url(re.compile(r"/query-sets/\d+/queries/"), timeout=30_000)
    expect(page.get_by_role("status").filter(has_text="more.csv: 2 new")).to_be_visible()


def test_an_import_is_left_found_again_and_cancelled(importing, site):
    page, address = importing, importing.url
    page.goto(f"{site}/accounts/")
    page.get_by_role("link", name="more.csv").click()
    expect(page).to_have_url(address)

    page.get_by_role("button", name="Cancel the import").click()

    expect(page.get_by_role("alert")).to_contain_text("It was cancelled.")
    expect(page.get_by_role("button", name="Import 2 queries")).to_be_visible()


@pytest.mark.parametrize(("archived", "words"), [(True, "This query set is archived"), (False, "Error 404")])
def test_where_the_query_set_is_out_of_reach_the_page_says_so(importing, archived, words):
    page, upload = importing, Upload.objects.latest("created_at")
    page.expected_errors = ("404", "409")

    if archived:
        archive_query_set(query_set=upload.query_set, user=upload.user, at=timezone.now())
    else:
        upload.delete()  # as it is with its list or its query set

    expect(page.get_by_text(words)).to_be_visible()


def test_without_scripts_the_page_asks_anew_by_itself(importing, browser):
    bare = browser.new_context(java_script_enabled=False, storage_state=importing.context.storage_state())
    page = bare.new_page()
    page.goto(importing.url)
    work()

    page.wait_for_url(re.compile(r"/query-sets/\d+/queries/"), timeout=30_000)

    expect(page.get_by_role("status").filter(has_text="more.csv: 2 new")).to_be_visible()
    bare.close()


def test_a_wrong_import_is_found_again_and_undone(sign_in, site, page, check_accessibility, wide_or_narrow):
    sign_in("admin")
    shop_list = QuerySet.objects.get(name="Outdoor shop").judgment_lists.first()
    page.goto(f"{site}/lists/{shop_list.pk}/import/")
    content = b"query,document,grade,rater\nnew query,new document,1,otto\n"
    page.get_by_label("Drop a file").set_input_files(
        {"name": "wrong.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_label("Create unknown queries and documents").check()
    page.locator(".form-actions").get_by_role("button", name="Preview again").click()
    page.get_by_role("button", name="Import 1 judgment").click()
    expect(page.get_by_role("status").filter(has_text="wrong.csv: 1 new")).to_be_visible()

    page.goto(f"{site}/lists/{shop_list.pk}/import/")
    check_accessibility()
    link = page.get_by_role("link", name="Undo the import of wrong.csv")
    expect(link).to_be_in_viewport()
    link.click()
    check_accessibility()
    page.get_by_role("button", name="Undo the import").click()

    expect(page.get_by_role("status").filter(has_text="1 judgment withdrawn")).to_be_visible()
    assert not shop_list.judgments.filter(rater__name="otto").exists()


@pytest.fixture(params=[(1280, 900), (390, 844)], ids=["desktop", "phone"])
def wide_or_narrow(request, page):
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
