"""Addresses of the judging side."""

from judgments.agreement import urls as agreement
from judgments.content import urls as content
from judgments.files import urls as files
from judgments.judging import urls as judging
from judgments.lists import urls as lists
from judgments.log import urls as log
from judgments.overview import urls as overview
from judgments.people import urls as people
from judgments.raters import urls as raters

ROOMS = (people, judging, content, overview, lists, files, raters, agreement, log)

urlpatterns = [pattern for room in ROOMS for pattern in room.urlpatterns]
