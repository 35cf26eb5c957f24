import re

import pytest

from judgments.base.cleaning import clean, guidelines_html, plain, prose, web_address


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<script>alert(1)</script>x", "x"),
        ("<style>p{}</style>x", "x"),
        ('<p style="color:red" onclick="x()" class="c">x</p>', "<p>x</p>"),
        ('<img src="http://e.org/x.png">', ""),
        ("<h1>Big</h1>", "<h3>Big</h3>"),
        ('<a href="javascript:x">y</a>', '<a target="_blank" rel="noopener noreferrer">y</a>'),
        ("<iframe src=x></iframe><form><input></form>x", "x"),
        ("<svg><a xlink:href='javascript:x'>y</a></svg>", ""),
        ("a<br><br><br><br>b", "a<br><br>b"),
    ],
)
def test_what_could_harm_goes_and_the_text_stays(html, expected):
    assert clean(html) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree < four & five", "<p>one<br>two</p><p>three &lt; four &amp; five</p>"),
        ("one<b>two</b>\nthree", "one<b>two</b><br>three"),
        ("<p>one\ntwo</p>", "<p>one\ntwo</p>"),
        ("Tom &amp; Jerry", "<p>Tom &amp; Jerry</p>"),
        (" \n ", ""),
    ],
)
def test_line_breaks_survive_in_plain_text_and_in_html(text, expected):
    assert prose(text) == expected


def test_a_title_is_words_on_one_line():
    assert plain("A <b>bold</b>\n title &amp; more 1 < 2") == "A bold title & more 1 < 2"


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<h1>Chapter</h1>one <p>espresso</p><p>espresso</p>two", "Chapter one espresso espresso two"),
        ("<div>one</div><div>two</div>", "one two"),
        ("<section><header>one</header>two</section>three", "one two three"),
        ("<ul><li>one<li>two</ul><table><tr><td>a<td>b</table>", "one two a b"),
        ("one<br>two<hr>three", "one two three"),
        ("w<b>or</b>d", "word"),
        ("<DIV >" * 60 + "one" + "</DIV>two", "one two"),
        ("<td>espresso<td>beans</td><th>new</th>shop", "espresso beans new shop"),
        ("<menu>espresso</menu><dialog>beans</dialog>new<hgroup>shop</hgroup>", "espresso beans new shop"),
        ("<button>espresso</button><button>beans</button>", "espresso beans"),
        ("a<select><optgroup>b</optgroup></select><textarea>c</textarea>d", "a b c d"),
        ("<label>Size</label><label>Color</label>", "Size Color"),
        ("<input value='x'>one<input>two", "one two"),
        ("<ruby>東京<rt>とうきょう</rt></ruby>へ", "東京 とうきょう へ"),
        ("<product-name>Red</product-name><price>10</price>", "Red 10"),  # XML, or elements of a script
        ("List<String>items", "List items"),
        ("one<svg><path/></svg>two", "one two"),
        ("<span>es</span><font color='red'>pres</font><mark>so</mark>", "espresso"),
        ("es<wbr>pres<!-- -->so", "espresso"),
    ],
)
def test_words_of_different_blocks_stay_apart(html, words):
    shown = re.sub(r"</?(?:div|p|h3|ul|li|table|tbody|tr|td|br|hr)>", " ", prose(html))

    assert plain(html) == words
    assert " ".join(re.sub(r"</?b>", "", shown).split()) == words


def test_guidelines_are_markdown_without_html():
    html = guidelines_html("# Rules\n\n*fair* <b>x</b>\n\n| a |\n|---|\n| 1 |\n\n[x](javascript:y)")

    assert "<h3>Rules</h3>" in html
    assert "<em>fair</em> &lt;b&gt;x&lt;/b&gt;" in html
    assert "<td>1</td>" in html
    assert "href" not in html


@pytest.mark.parametrize(
    "url", ["javascript:x", "data:text/html,x", "//e.org/x", "x.html", "", "http://[", "https://"]
)
def test_only_web_addresses_are_followed(url):
    assert web_address(url) == ""


def test_a_web_address_is_kept():
    assert web_address(" https://e.org/a?b=c ") == "https://e.org/a?b=c"
