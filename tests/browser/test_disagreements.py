"""How an admin settles disagreements in the browser, by keyboard."""

from playwright.sync_api import expect

from judgments.models import Adjudication, Judgment, JudgmentList


def test_disagreements_are_decided_by_two_keys_each(sign_in, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{first_pass.pk}/disagreements/")
    check_accessibility()

    page.get_by_role("link", name="Start deciding").press("Enter")
    check_accessibility()
    first = page.url
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="Highly relevant")).to_be_focused()
    page.keyboard.press("3")

    expect(page.get_by_text("Decision saved.")).to_be_visible()
    assert page.url != first
    decision = Adjudication.objects.get()
    assert (decision.value, decision.cause) == (2, "slip")
    second = page.url
    page.keyboard.press("c")
    page.keyboard.type("1 and 2 are told apart by the size.")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(page).not_to_have_url(second)
    assert Adjudication.objects.latest("pk").note == "1 and 2 are told apart by the size."
    third = page.url
    page.keyboard.press("s")
    expect(page).not_to_have_url(third)
    assert Adjudication.objects.count() == 2
    check_accessibility()


def test_a_rater_is_left_out_after_the_effect_was_read(sign_in, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{first_pass.pk}/raters/")

    page.get_by_role("link", name="Leave out Noor Haddad").press("Enter")
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    check_accessibility()
    page.get_by_label("Why").fill("Clicks at random.")
    page.get_by_role("button", name="Leave Noor Haddad out").press("Enter")

    expect(page.get_by_text("left out of the grades").first).to_be_visible()
    check_accessibility()
    assert first_pass.exclusions.standing().get().note == "Clicks at random."
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("raters", "disagreements"):
        page.goto(f"{site}/lists/{first_pass.pk}/{path}/")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_question_mark_shows_the_keys_and_nothing_is_decided_behind_them(sign_in, site):
    first_pass = JudgmentList.objects.get(name="First pass")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{first_pass.pk}/disagreements/")
    page.get_by_role("link", name="Start deciding").click()
    page.wait_for_url("**/disagreements/*/")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Decide later")
    expect(keys).to_contain_text("Perfectly relevant")

    page.keyboard.press("3")
    page.keyboard.press("1")

    expect(keys).to_be_visible()
    expect(page.locator("input[name=value]:checked")).to_have_count(0)
    assert not Adjudication.objects.exists()


def test_from_a_grade_to_another_rater_who_judges_it(sign_in, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    first_pass.slots.all().delete()  # nothing else waits
    own = Judgment.objects.filter(judgment_list=first_pass, rater__user__username="rater")
    pair = first_pass.pairs.exclude(pk__in=own.values("pair")).filter(gold=None).earliest("pk")
    page = sign_in("admin")
    page.goto(f"{site}/queries/{pair.query_id}/")
    page.get_by_role("link", name=f"Answers to {pair.document.external_id}").press("Enter")
    page.get_by_role("button", name="Ask another rater").press("Enter")
    expect(page.get_by_text("This pair waits for another rater.")).to_be_visible()
    check_accessibility()

    sign_in("rater")
    page.goto(f"{site}/lists/{first_pass.pk}/judge/")
    expect(page.get_by_role("heading", name=pair.document.title)).to_be_visible()
    page.keyboard.press("2")
    expect(page.get_by_text("Highly relevant saved. All done")).to_be_attached()

    [judgment] = Judgment.objects.filter(pair=pair, rater__user__username="rater")
    assert (judgment.value, judgment.extra) == (2, False)
