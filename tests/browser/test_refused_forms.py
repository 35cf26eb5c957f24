"""A form that is refused shows its first problem, also where it is below the first screen of a phone."""

from playwright.sync_api import expect

from judgments.models import JudgmentList, QuerySet

PHONE = {"width": 390, "height": 844}


def members_of(site):
    return f"{site}/query-sets/{QuerySet.objects.get(name='Outdoor shop').pk}/members/"


def test_the_first_problem_is_in_sight_and_its_field_has_the_cursor(sign_in, site):
    page = sign_in("admin")
    page.set_viewport_size(PHONE)
    page.expected_errors = ("422",)
    page.goto(members_of(site))

    page.get_by_label("Username", exact=True).fill("nobody")
    page.get_by_role("button", name="Add member").click()

    expect(page.locator("form .errorlist")).to_be_in_viewport()
    expect(page.get_by_label("Username", exact=True)).to_be_focused()


def test_the_first_of_several_choices_that_are_missing_is_in_sight(sign_in, site):
    page = sign_in("admin")
    page.set_viewport_size(PHONE)
    page.expected_errors = ("422",)
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/disagreements/")
    page.get_by_role("link", name="Start deciding").click()

    page.get_by_role("button", name="Save and continue").click()

    expect(page.get_by_text("Choose a grade.")).to_be_in_viewport()
    expect(page.get_by_role("radio", name="Irrelevant")).to_be_focused()
    expect(page.get_by_text("Choose a cause.")).to_be_attached()


def test_a_page_without_a_problem_begins_at_its_top(sign_in, site):
    page = sign_in("admin")
    page.set_viewport_size(PHONE)
    page.goto(members_of(site))

    assert page.evaluate("scrollY") == 0
