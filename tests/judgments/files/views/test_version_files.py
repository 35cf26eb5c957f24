"""The files of a version: `sha256sum` confirms the hash, and every format holds the grades that the hash is taken over."""

import subprocess
from hashlib import sha256

from django.db.models import F
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from judgments.lists.actions.versions import freeze_version
from judgments.lists.reports.version_checks import grades_problems, problems_in_log
from judgments.models import ConsensusGrade
from tests import factories as make
from tests.judgments.lists.actions.test_versions import expected_text, grade_all, ids
from tests.touchstone_core.formats.judgments.test_judgment_round_trips import PLAIN_IDS
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import GRADES, open_judgment_text


def summed(content):
    """What `sha256sum` says."""
    done = subprocess.run(["sha256sum"], input=content, capture_output=True, check=True)
    return done.stdout.split()[0].decode()


def frozen(grades):
    """A version of these grades, and another one after each grade has changed."""
    judgment_list = make.make_list(make.make_query_set())
    grade_all(judgment_list, grades)
    judgment_list.query_set.queries.update(text=F("external_id"))  # what some formats call a query by
    version = freeze_version(judgment_list=judgment_list)
    ConsensusGrade.objects.filter(judgment_list=judgment_list).update(value=0)
    freeze_version(judgment_list=judgment_list)
    return version


def graded(names):
    pairs = st.tuples(names, names)
    return st.dictionaries(pairs, st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=8)


class TestFiles(TestCase):
    def read(self, version, format):
        self.client.force_login(make.make_member(version.query_set, "engineer"))
        address = reverse("version-file", args=[version.judgment_list_id, version.number, format])
        return self.client.get(address).getvalue()

    @settings(deadline=None)
    @given(graded(ids))
    def test_sha256sum_confirms_the_hash_of_whatever_ids(self, grades):
        version = frozen(grades)

        assert summed(self.read(version, "hashed")) == version.sha256
        assert problems_in_log(version.judgment_list) + grades_problems(version) == []

    @settings(deadline=None)
    @given(graded(PLAIN_IDS), st.sampled_from(sorted(GRADES)))
    def test_every_format_gives_the_hash_again(self, grades, format):
        version = frozen(grades)

        parsed = open_judgment_text(text_of(self.read(version, format).decode())).read()

        found = {(one.query, one.document): one.grade for one in parsed.records}
        assert sha256(expected_text(found).encode()).hexdigest() == version.sha256
