"""The tag that names a page's module, and hints at what it imports."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template, TemplateSyntaxError

from judgments.templatetags.modules import IMPORT, direct_imports, imported_by, module
from tests.architecture.test_rules import ROOT

SCRIPTS = ROOT / "static" / "js"
MODULES = sorted(path.relative_to(SCRIPTS.parent).as_posix() for path in SCRIPTS.rglob("*.js"))


@pytest.fixture
def pages(tmp_path, settings):
    """Three modules: page.js imports two, of which the second imports the first."""
    (tmp_path / "js" / "part").mkdir(parents=True)
    (tmp_path / "js" / "page.js").write_text(
        'import {\n  a,\n  b,\n} from "./a.js";\nimport "./part/c.js";\n// import "./not.js";\n'
    )
    (tmp_path / "js" / "a.js").write_text('const word = "from \\"./word.js\\";";\n')
    (tmp_path / "js" / "part" / "c.js").write_text('export { a } from "../a.js";\n')
    settings.STATICFILES_DIRS = [tmp_path]
    imported_by.cache_clear()
    yield
    imported_by.cache_clear()


def test_a_page_hints_at_each_module_once(pages):
    html = Template('{% module "js/page.js" %}').render(Context())

    assert re.findall(r'<link rel="modulepreload" href="(.+?)">', html) == [
        "/static/js/a.js",
        "/static/js/part/c.js",
    ]
    assert html.endswith('<script type="module" src="/static/js/page.js"></script>')


def test_a_module_that_is_not_there_is_named(pages):
    with pytest.raises(TemplateSyntaxError, match=r"no static file “js/nothing.js”"):
        module("js/nothing.js")


@pytest.mark.parametrize("name", MODULES)
def test_imports_lead_to_files_and_never_in_a_circle(name):
    """In a circle no file could carry the hash of its content, which names the others, in its name."""
    assert set(direct_imports(name)) <= set(MODULES)
    assert name not in imported_by(name)


def test_every_import_is_written_so_that_its_hash_is_put_in():
    for name in MODULES:
        text = Path(SCRIPTS.parent / name).read_text()
        statements = re.findall(r"^(?:import\b|export\b[^=(]*\bfrom\b)", text, re.MULTILINE)
        assert len(re.findall(IMPORT, text)) == len(statements), name
        assert "import(" not in text, name


def test_templates_name_every_script_as_a_module_but_the_one_before_the_first_paint():
    own = [
        line
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for line in re.findall(r"""static ['"]js/([^'"]+)""", path.read_text())
    ]

    assert set(own) == {"theme.js"}
