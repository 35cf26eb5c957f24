"""Documents as rankings show them: title, the first words of the text, and the image if the query set allows it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models.functions import Left

from judgments.base.cleaning import plain, web_address
from judgments.models import Document, QuerySet

SNIPPET: Final = 300


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """`link` is the document's own address and `image` that of its image, if a browser may be sent there."""

    pk: int
    title: str
    snippet: str
    link: str
    image: str


def shown_documents(query_set: QuerySet, names: Iterable[str]) -> dict[str, ShownDocument]:
    """Those that have a row, by external ID. One query, which reads only the beginning of each text."""
    documents = Document.objects.filter(query_set=query_set, external_id__in=list(names))
    documents = documents.defer("body", "fields").annotate(beginning=Left("body", SNIPPET))
    return {one.external_id: _shown(one, one.beginning, query_set.show_images) for one in documents}


def _shown(document: Document, beginning: str, images: bool) -> ShownDocument:
    return ShownDocument(
        pk=document.pk,
        title=str(document),
        snippet=plain(beginning),
        link=web_address(document.url),
        image=web_address(document.image) if images else "",
    )
