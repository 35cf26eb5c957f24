"""The file that names the search engines of a site."""

import pytest

from touchstone_core.engines.site_engines import read_engines
from touchstone_core.offline.command_line import InputError

FILE = """
["Products, staging"]
url = "http://es:9200/products/_search"
body = { query = { match = { title = "{query}" } }, size = "{depth}" }
headers = ["Authorization: ApiKey abc"]
id = "_source.sku"
at_once = 2
query_sets = [3, 7]

[solr]
url = "http://solr:8983/solr/shop/select?q={query}&rows={depth}"
"""


def test_each_table_is_an_engine():
    staging, solr = read_engines(FILE).values()

    request = staging.engine.template.request("red shoes", 5)
    assert (str(request.url), request.headers["Authorization"]) == (
        "http://es:9200/products/_search",
        "ApiKey abc",
    )
    assert request.content == b'{"query":{"match":{"title":"red shoes"}},"size":5}'
    assert (staging.engine.id_at, staging.at_once, staging.query_sets) == ("_source.sku", 2, {3, 7})
    assert (
        str(solr.engine.template.request("a&b", 5).url) == "http://solr:8983/solr/shop/select?q=a%26b&rows=5"
    )
    assert (solr.at_once, solr.query_sets) == (4, None)
    assert list(read_engines(FILE)) == ["Products, staging", "solr"]


URL = 'url = "http://es?q={query}"'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[es", "It is not TOML: Expected"),
        (URL, r"Engine “url”: It is no table. Write \[url\]"),
        ("[es]", "Engine “es”: It has no url"),
        ('[es]\nurl = "es?q={query}"', "The URL isn’t an address"),
        ('[es]\nurl = "http://es"', "Neither the URL nor the body says where the query goes"),
        (
            f"[es]\n{URL}\nhit = 'a'",
            "It has “hit”, which means nothing here. It may have url, body, headers, hits",
        ),
        (f"[es]\n{URL}\nheaders = 'a'", "“headers” must be a list of texts"),
        (f"[es]\n{URL}\nheaders = ['secret']", "A header isn’t written as in"),
        (f"[es]\n{URL}\nbody = '{{}}'", "“body” must be a table"),
        (f"[es]\n{URL}\nat_once = 0", "“at_once” must be a whole number from 1 to 32"),
        (f"[es]\n{URL}\nat_once = true", "“at_once” must be a whole number"),
        (f"[es]\n{URL}\nquery_sets = ['Shop']", "“query_sets” must be a list of IDs"),
        (f"[{'e' * 101}]\n{URL}", "Its name is longer than 100 characters"),
    ],
)
def test_what_means_nothing_is_refused_with_the_name_of_the_engine_and_without_secrets(text, sentence):
    with pytest.raises(InputError, match=sentence) as raised:
        read_engines(text)

    assert "secret" not in str(raised.value)
