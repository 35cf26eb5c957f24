"""Texts that were made to cost a parser gigabytes and minutes: cleaned in a process of its own, under a limit."""

import os
import subprocess
import sys

import pytest

from judgments.base.cleaning import LONGEST, LONGEST_GUIDELINES, guidelines_html, plain, prose
from judgments.base.markup import DEEPEST, MOST_TAGS, well_formed
from tests.judgments.hostile_markup import FAMILIES

# Stops a process that takes more than 300 MB beyond what it has with everything imported, and more than 10 s.
LIMITED = """
import resource, sys
from django.conf import settings
settings.configure()
from judgments.base.cleaning import guidelines_html, plain, prose
from judgments.base.highlight import Highlighter
from tests.judgments.hostile_markup import FAMILIES, GUIDELINES

prose("<p>warm"), guidelines_html("warm")
began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
pages = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (pages * 1024 + (300 << 20),) * 2)
for name, family in FAMILIES.items():
    resource.setrlimit(resource.RLIMIT_CPU, (int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 11, -1))
    print(name, flush=True)
    text = family(int(sys.argv[1]))
    Highlighter("a b c").html(prose(text))
    plain(text)
for name, family in GUIDELINES.items() if int(sys.argv[1]) > 20_000 else ():
    resource.setrlimit(resource.RLIMIT_CPU, (int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 11, -1))
    print("guidelines:", name, flush=True)
    guidelines_html(family(int(sys.argv[1])))
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - began
assert more < 300_000, f"{more} KB more"
print("done")
"""


@pytest.mark.parametrize("size", [20_000, pytest.param(120_000, marks=pytest.mark.drill)])
def test_no_text_costs_more_than_300_mb_or_10_s(size):
    plain_python = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(size)],
        capture_output=True,
        text=True,
        timeout=300,
        env=plain_python,
    )

    last = done.stdout.splitlines()[-1:]
    assert (done.returncode, last) == (0, ["done"]), f"{last}: {done.stderr[-500:]}"


def test_what_is_made_of_a_text_is_bounded():
    for name, family in FAMILIES.items():
        html = prose(family(20_000))
        assert len(html) < 10 * 20_000, name
        assert html.count("<") <= 4 * MOST_TAGS, name
        assert _depth(html) <= 2 * DEEPEST, name  # the parser adds rows and bodies to tables


def test_tags_within_the_limit_are_kept_and_those_beyond_lose_nothing_but_the_tag():
    html = well_formed("<b>x</b>" * (MOST_TAGS + 2), {"b": ()})

    assert html == "<b>x</b>" * MOST_TAGS + "xx"


def test_elements_within_the_limit_of_depth_are_kept():
    html = well_formed("<q>" * (DEEPEST + 3) + "x", {"q": ()})

    assert html == "<q>" * DEEPEST + "x" + "</q>" * DEEPEST


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<p><b>a<p>b</b>", "<p><b>a</b></p><p>b</p>"),
        ("<b><i>a</b></i>", "<b><i>a</i></b>"),
        (
            "<p>a<ul><li>b<li>c<ul><li>d</ul></ul>e",
            "<p>a</p><ul><li>b</li><li>c<ul><li>d</li></ul></li></ul>e",
        ),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        (
            "<table><tr><td>a<td><table><tr><td>b</table><tr><th>c</table>",
            "<table><tr><td>a</td><td><table><tr><td>b</td></tr></table></td></tr><tr><th>c</th></tr></table>",
        ),
        ("<a href=x>a<a href='y\"z'>b", '<a href="x">a</a><a href="y&quot;z">b</a>'),
        ("<p title='a > b' HREF=x>c</P></q></p>", "<p>c</p>"),
        ('<a target=_top Href = "x" href>c', '<a href="x">c</a>'),
        ("<a title>c", "<a>c</a>"),
        ("a<br/>b<hr>c</br>", "a<br>b<hr>c"),
        ("1 < 2 <3 <b>x</b", "1 &lt; 2 &lt;3 <b>x&lt;/b</b>"),
        ("a<!-- <b> -->b<!doctype html><?xml?>c<!-- d", "abc"),
        ("a<script>b</script>c<STYLE>d</style >e<svg>f<title>g</svg>h", "ace\nh"),
        ("a<svg>b<svg>c", "a\nb\nc"),
        ("a<script>b", "a"),
        ("a<math>b<math>c</math>d", "a\nd"),
        ("<o:p>a</o:p><scripts>b", "\na\n\nb"),
    ],
)
def test_markup_is_made_well_formed(html, expected):
    names = ("p", "b", "i", "ul", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "br", "hr", "q")
    assert well_formed(html, dict.fromkeys(names, ()) | {"a": ("href",)}) == expected


def test_what_is_longer_than_is_cleaned_is_cut():
    assert prose("x" * (LONGEST + 5)) == f"<p>{'x' * LONGEST}</p>"
    assert plain("<b>" + "x" * LONGEST) == "x" * (LONGEST - 3)


def test_guidelines_that_are_cut_say_so():
    assert "cut here" not in guidelines_html("x" * LONGEST_GUIDELINES)
    assert "The guidelines are cut here, after 20,000 characters." in guidelines_html("x" * 20_001)


def _depth(html: str) -> int:
    deepest = depth = 0
    for part in html.split("<")[1:]:
        if not part.startswith(("br", "hr")):
            depth += -1 if part.startswith("/") else 1
            deepest = max(deepest, depth)
    return deepest
