"""A session that ends while a page is open, in the browser."""

import re

import pytest
from playwright.sync_api import expect

from judgments.models import JudgmentList, Membership, QuerySet, Role, User
from tests import factories as make


@pytest.fixture
def run_table(sign_in, site):
    """The table of runs, open after its session has ended."""
    page = sign_in("engineer")
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/runs/")
    page.context.clear_cookies(name="sessionid")
    page.expected_errors = ("401",)
    return page


def test_a_choice_above_a_table_leads_to_signing_in_and_to_what_was_chosen(run_table):
    page = run_table

    page.get_by_label("Formula", exact=True).select_option("quepid")
    page.wait_for_url(re.compile("/accounts/sign-in/"))
    page.locator("button[name=username][value=engineer]").click()

    page.wait_for_url(re.compile("global-uncut"))
    expect(page.get_by_label("Formula", exact=True)).to_have_value("quepid")


def test_after_signing_out_back_shows_no_page_of_the_person_who_left(sign_in, site):
    page = sign_in("admin")
    gold = f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/gold/"
    page.goto(gold)
    expect(page.get_by_role("heading", name="Gold pairs", exact=True)).to_be_visible()
    page.locator(".topbar details summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(re.compile("/accounts/sign-in/"))
    page.go_back()

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Gold pairs")).to_have_count(0)


def test_back_leads_through_choices_though_no_page_is_kept(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/runs/")
    formula = page.get_by_label("Formula", exact=True)
    first = formula.input_value()
    formula.select_option("quepid")
    page.wait_for_url(re.compile("global-uncut"))

    page.go_back()
    expect(formula).to_have_value(first)
    page.go_forward()
    expect(formula).to_have_value("quepid")

    assert page.evaluate("localStorage.getItem('htmx-history-cache')") is None
    assert page.evaluate("sessionStorage.getItem('htmx-history-cache')") is None


def test_an_upload_after_the_session_has_ended_shows_nothing_of_the_account(sign_in, site):
    page = sign_in("engineer")
    shop = JudgmentList.objects.get(name="First pass").query_set_id
    page.goto(f"{site}/query-sets/{shop}/runs/upload/")
    page.context.clear_cookies(name="sessionid")
    file = {"name": "run.trec", "mimeType": "text/plain", "buffer": b"q01 Q0 lamp-01 1 5 run\n"}
    page.locator("input[type=file]").set_input_files(file)

    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_text("your changes weren’t saved")).to_be_visible()
    expect(page.get_by_text("Enno Engineer", exact=True)).to_have_count(0)
    expect(page.get_by_role("navigation", name="Main")).to_have_count(0)


def test_what_was_entered_when_the_session_had_ended_comes_back_after_the_sign_in(sign_in, site):
    page = sign_in("admin")
    page.goto(f"{site}/query-sets/new/")
    page.get_by_label("Name").fill("Winter shop")
    page.get_by_label("Description").fill("Typed for\nten minutes.")
    page.get_by_label("images").check()
    page.context.clear_cookies(name="sessionid")

    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("your changes weren’t saved")).to_be_visible()
    page.locator("button[name=username][value=admin]").click()

    expect(page.get_by_role("status").filter(has_text="What you entered is back")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Winter shop")
    expect(page.get_by_label("Description")).to_have_value("Typed for\nten minutes.")
    expect(page.get_by_label("images")).to_be_checked()
    page.reload()
    expect(page.get_by_label("Name")).to_have_value("")


def test_what_was_entered_does_not_come_back_for_another_account(sign_in, site):
    page = sign_in("admin")
    page.goto(f"{site}/query-sets/new/")
    page.get_by_label("Name").fill("Winter shop")
    page.context.clear_cookies(name="sessionid")

    page.get_by_role("button", name="Create").click()
    page.locator("button[name=username][value=engineer]").click()
    expect(page.locator(".account")).to_contain_text("Enno Engineer")

    assert page.evaluate("sessionStorage.getItem('touchstone.unsent')") is None


def test_what_was_saved_does_not_come_back(sign_in, site):
    page = sign_in("admin")
    shop = JudgmentList.objects.get(name="First pass").query_set_id
    page.goto(f"{site}/query-sets/{shop}/edit/")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_be_visible()
    page.context.clear_cookies(name="sessionid")

    page.goto(f"{site}/query-sets/{shop}/edit/")
    page.locator("button[name=username][value=admin]").click()

    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    expect(page.get_by_text("What you entered is back")).to_have_count(0)


def test_a_change_of_somebody_else_meanwhile_is_noticed(sign_in, site):
    page = sign_in("admin")
    page.expected_errors = ("422",)
    shop = JudgmentList.objects.get(name="First pass").query_set
    page.goto(f"{site}/query-sets/{shop.pk}/edit/")
    page.get_by_label("Description").fill("Mine")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save").click()
    QuerySet.objects.filter(pk=shop.pk).update(description="Theirs")

    page.locator("button[name=username][value=admin]").click()
    expect(page.get_by_label("Description")).to_have_value("Mine")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Somebody changed")).to_be_visible()
    QuerySet.objects.filter(pk=shop.pk).update(description=shop.description)


def test_a_form_of_one_row_comes_back_in_its_row(sign_in, site):
    page = sign_in("admin")
    query_set = make.make_query_set(name="Rows")
    Membership.objects.create(query_set=query_set, user=User.objects.get(username="admin"), role=Role.ADMIN)
    first, second, third = (
        make.make_member(query_set, Role.RATER, username=f"row{nth}").username for nth in range(3)
    )
    page.goto(f"{site}/query-sets/{query_set.pk}/members/")
    page.get_by_label(f"Role of {second}").select_option("engineer")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name=f"Change the role of {second}").click()
    Membership.objects.filter(query_set=query_set, user__username=first).delete()

    page.locator("button[name=username][value=admin]").click()

    expect(page.get_by_text("What you entered is back, and isn’t saved yet.")).to_be_visible()
    expect(page.get_by_label(f"Role of {second}")).to_have_value("engineer")
    expect(page.get_by_label(f"Role of {third}")).to_have_value("rater")
    page.get_by_role("button", name=f"Change the role of {second}").click()
    expect(page.get_by_role("status")).to_be_visible()
    roles = Membership.objects.filter(query_set=query_set).values_list("user__username", "role")
    assert dict(roles) == {"admin": "admin", second: "engineer", third: "rater"}


def test_an_answer_that_was_sent_does_not_come_back_on_another_document(sign_in, site):
    page = sign_in("rater")
    shop = JudgmentList.objects.get(name="First pass")
    page.goto(f"{site}/lists/{shop.pk}/judge/")
    page.keyboard.press("1")
    expect(page.locator("#judge")).to_have_attribute("data-state", "saved")
    assert page.evaluate("sessionStorage.getItem('touchstone.unsent')") is None
    page.context.clear_cookies(name="sessionid")

    page.goto(f"{site}/lists/{shop.pk}/judge/")
    page.locator("button[name=username][value=rater]").click()

    expect(page.locator("[data-card]").first).to_be_attached()
    expect(page.get_by_text("What you entered is back")).to_have_count(0)
