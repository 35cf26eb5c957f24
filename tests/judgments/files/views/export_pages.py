"""A list with something of everything, and taking it out by page, for the tests of exports."""

from django.urls import reverse

from tests import factories as make
from tests.judgments.files.actions.test_import_grades import bring_in, make_scale

CONTENT = (
    "query_id,query,document,rater,grade,reason,comment\n"
    'q1,red dress,d1,ann,2,,"=SUM(A1)\nnext"\n'
    "q1,red dress,d1,bob,-1,,\n"
    "q1,red dress,d2,ann,,language,käse 🥿\n"
    "q2,blue,d 3,ann,0.5,,\n"
    "q2,blue,@x,,,,\n"
)


def make_mixed_list(query_set):
    """Two raters, a grade below 0, a fraction, “cannot judge”, a pair without judgments; texts that look like formulas."""
    scale = make_scale(query_set, -1, 0.5, 2)
    found = make.make_list(query_set, scale=scale, name="A list", overlap=2, tie="higher")
    _, report = bring_in(found, CONTENT, name="file.csv")
    assert report.ok
    return found


def download(client, judgment_list, format, **more):
    response = client.get(reverse("list-export", args=[judgment_list.pk]), {"format": format} | more)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return response, body.decode()
