"""The page of formulas and the reconciliation of a run, in the browser."""

import re

import pytest
from playwright.sync_api import expect

from judgments.models import JudgmentList


@pytest.fixture
def judgment_list(site) -> JudgmentList:
    return JudgmentList.objects.get(name="First pass")


def test_the_page_of_formulas_is_read_and_changed(sign_in_at_home, site, check_accessibility):
    page = sign_in_at_home("engineer")
    page.get_by_role("navigation").get_by_role("link", name="Formulas").click()
    expect(page.get_by_role("img", name="Four ideals")).to_be_visible()
    check_accessibility()
    page.get_by_role("navigation", name="Chapters").get_by_role("link", name="Worked out").click()
    expect(page.locator(".ideal")).to_have_count(4)
    for name, value in (
        ("local", "0.5714"),
        ("recall", "0.4444"),
        ("global", "0.4138"),
        ("max", "0.4000"),
    ):
        expect(page.get_by_label(f"Ideal {name}")).to_contain_text(value)
    check_accessibility()
    page.get_by_role("navigation", name="Chapters").get_by_role("link", name="Wrong claims").click()
    expect(page.locator("#claims")).to_contain_text("0.6309")
    check_accessibility()
    page.get_by_role("navigation", name="Chapters").get_by_role("link", name="Worked out").click()

    page.get_by_label("Discount", exact=True).select_option("none")
    page.get_by_role("button", name="Compute").click()

    expect(page.get_by_label("Ideal local")).to_contain_text("1.0000")
    check_accessibility()


def test_a_query_of_a_run_is_worked_out_under_other_formulas(
    sign_in, site, judgment_list, check_accessibility
):
    page = sign_in("engineer")
    run = judgment_list.query_set.runs.get(name="bm25")
    query = judgment_list.query_set.queries.get(external_id="q01")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/{run.pk}/queries/{query.pk}/?k=5")
    page.locator("summary", has_text="The four ideals").click()
    shown = page.locator(".ideal h3").all_inner_texts()

    page.get_by_role("link", name="Compute this query with other formulas").click()

    expect(page.locator("main")).to_contain_text(f"The example: {query.text}")
    idcg = [row.split()[-1] for row in page.locator(".ideal tfoot tr:nth-last-child(2)").all_inner_texts()]
    assert idcg == [heading.split()[-1] for heading in shown]
    check_accessibility()


def test_a_number_seen_elsewhere_is_found_again(sign_in, site, judgment_list, check_accessibility):
    page = sign_in("engineer")
    page.expected_errors = ("422",)
    run = judgment_list.query_set.runs.get(name="bm25")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/{run.pk}/")
    page.get_by_role("link", name="Reconcile").click()
    check_accessibility()
    known = page.get_by_role("row", name=re.compile("^Järvelin")).locator("td.num").get_attribute("title")
    assert known is not None

    page.get_by_label("A number from another tool").fill(f"NDCG@10 = {float(known):.6f}")
    page.get_by_role("button", name="Find the formula").click()

    expect(page.locator("#answer tbody tr").first).to_contain_text("matches")
    expect(page.locator("#answer tbody tr").first).to_contain_text("Järvelin")
    check_accessibility()

    page.get_by_label("A number from another tool").fill("a lot")
    page.get_by_role("button", name="Find the formula").click()
    expect(page.locator(".errorlist")).to_contain_text("Enter one number")
    check_accessibility()


def test_a_formula_is_chosen_by_name_saved_and_found_again(sign_in, site, judgment_list, check_accessibility):
    page = sign_in("engineer")
    table = f"{site}/lists/{judgment_list.pk}/runs/"
    page.goto(table)

    page.get_by_label("Formula", exact=True).select_option("quepid")
    page.wait_for_url(re.compile("global-uncut"))
    expect(page.locator("#scored")).to_contain_text("A perfect top 10 scores 0.775")
    page.get_by_role("link", name="@5", exact=True).click()
    expect(page.get_by_label("Formula", exact=True)).to_have_value("quepid")
    expect(page.get_by_role("columnheader", name=re.compile("^nDCG.*global-uncut"))).to_contain_text("@5")
    page.get_by_label("Average").select_option("median")
    page.wait_for_url(re.compile("average=median"))
    expect(page.locator("#scored")).to_contain_text("Medians over")
    check_accessibility()

    page.locator(".formula-more > summary").click()
    page.get_by_text("Save this formula as").click()
    check_accessibility()
    page.get_by_label("Name", exact=True).fill("House formula")
    page.get_by_label("Make it the default of the query set").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#messages")).to_contain_text("House formula")
    assert "global-uncut" in page.url

    page.goto(table)
    assert "global-uncut" in page.url
    expect(page.locator("#scored")).to_contain_text("House formula")
    page.locator(".formula-more > summary").click()
    page.get_by_role("link", name="Formulas of this query set").click()
    expect(page.get_by_role("region", name=re.compile("House formula"))).to_contain_text("default")
    check_accessibility()
    page.get_by_text("Change House formula").click()
    check_accessibility()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#messages")).to_contain_text("deleted")


def test_a_bad_measure_is_pointed_at(sign_in, site, judgment_list, check_accessibility):
    page = sign_in("engineer")
    page.expected_errors = ("422",)
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/")

    page.locator(".formula-more > summary").click()
    page.get_by_label("Further measures").fill("AP RR@@10")
    page.locator(".formula-more").get_by_role("button", name="Apply").click()

    expect(page.locator("mark")).to_have_text("@")
    expect(page.locator(".errorlist")).to_contain_text("At character 7")
    check_accessibility()
    page.get_by_label("Further measures").fill("AP RR@10")
    page.locator(".formula-more").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("columnheader", name=re.compile("^RR@10"))).to_be_visible()
    check_accessibility()


def test_the_pages_fit_a_phone(sign_in, site, judgment_list):
    page = sign_in("engineer")
    page.expected_errors = ("422",)
    page.set_viewport_size({"width": 390, "height": 844})
    run = judgment_list.query_set.runs.get(name="bm25")
    query = judgment_list.query_set.queries.get(external_id="q01")

    for path in (
        "/formulas/",
        f"/formulas/?list={judgment_list.pk}&query={query.pk}&run={run.pk}",
        f"/lists/{judgment_list.pk}/runs/{run.pk}/reconcile/?number=.645",
        f"/lists/{judgment_list.pk}/runs/?gain=exp&measures=AP+nDCG(gain='exp',ideal='global-uncut')@10",
        f"/lists/{judgment_list.pk}/runs/?measures=AP+nDCG(gain='exp',ideal='global-uncut')@@10",
        f"/query-sets/{judgment_list.query_set_id}/formulas/",
    ):
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_what_tools_compute_is_folded_on_a_phone_only(sign_in, site, judgment_list):
    page = sign_in("engineer")
    run = judgment_list.query_set.runs.get(name="bm25")
    pitfall = page.get_by_text("Without -c, trec_eval 9 leaves out queries")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/{run.pk}/reconcile/")
    expect(pitfall).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 844})

    expect(pitfall).to_be_hidden()
    page.get_by_text("About it: trec_eval ndcg_cut").click()
    expect(pitfall).to_be_visible()


def test_links_within_a_page_are_all_in_sight_on_a_phone(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}/glossary/")

    boxes = [link.bounding_box() for link in page.locator(".word-index a:visible").all()]

    assert max(box["x"] + box["width"] for box in boxes) <= 390
