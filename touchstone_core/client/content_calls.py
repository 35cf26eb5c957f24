"""The account, query sets with their members, queries and documents."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from touchstone_core.client.calls import Key, given, key_of
from touchstone_core.client.job_calls import JobCalls
from touchstone_core.client.records import Account, Deleted, Document, GradedPair, Member, Query, QuerySet


class ContentCalls(JobCalls):
    def account(self) -> Account:
        """Who calls, and what the token may do."""
        return self._read(Account, "account")

    def query_sets(self, *, archived: bool = False) -> Iterator[QuerySet]:
        """Those in which you are engineer or admin, or those in the archive."""
        return self._rows(QuerySet, "query-sets", {"archived": archived})

    def query_set(self, query_set: Key) -> QuerySet:
        return self._read(QuerySet, f"query-sets/{key_of(query_set)}")

    def create_query_set(self, name: str, *, description: str = "", show_images: bool = False) -> QuerySet:
        """You become its admin."""
        values = {"name": name, "description": description, "show_images": show_images}
        return self._change(QuerySet, "POST", "query-sets", values)

    def change_query_set(
        self,
        query_set: Key,
        *,
        name: str | None = None,
        description: str | None = None,
        show_images: bool | None = None,
    ) -> QuerySet:
        """For admins."""
        values = given({"name": name, "description": description, "show_images": show_images})
        return self._change(QuerySet, "PATCH", f"query-sets/{key_of(query_set)}", values)

    def archive(self, query_set: Key, *, archived: bool = True) -> QuerySet:
        """Archives a query set, or restores it. For admins."""
        values = {"archived": archived}
        return self._change(QuerySet, "PUT", f"query-sets/{key_of(query_set)}/archived", values)

    def members(self, query_set: Key) -> Iterator[Member]:
        return self._rows(Member, f"query-sets/{key_of(query_set)}/members")

    def put_member(self, query_set: Key, *, username: str, role: str) -> Member:
        """Adds a member, or changes the role: rater, engineer or admin. For admins."""
        values = {"username": username, "role": role}
        return self._change(Member, "PUT", f"query-sets/{key_of(query_set)}/members", values)

    def remove_member(self, query_set: Key, member: Key) -> None:
        """All judgments stay. For admins."""
        self._delete(f"query-sets/{key_of(query_set)}/members/{key_of(member)}")

    def queries(self, query_set: Key, *, query_id: str | None = None) -> Iterator[Query]:
        """All, or the one with this ID."""
        return self._rows(Query, f"query-sets/{key_of(query_set)}/queries", {"query_id": query_id})

    def query(self, query: Key) -> Query:
        return self._read(Query, f"queries/{key_of(query)}")

    def add_query(
        self,
        query_set: Key,
        *,
        query_id: str,
        query: str,
        information_need: str = "",
        weight: float = 1.0,
        tags: Sequence[str] = (),
    ) -> Query:
        """To add many, import a file. For admins."""
        values = {
            "query_id": query_id,
            "query": query,
            "information_need": information_need,
            "weight": weight,
            "tags": list(tags),
        }
        return self._change(Query, "POST", f"query-sets/{key_of(query_set)}/queries", values)

    def change_query(
        self,
        row: Key,
        *,
        query: str | None = None,
        information_need: str | None = None,
        weight: float | None = None,
        tags: Sequence[str] | None = None,
    ) -> Query:
        """The tags are replaced. For admins."""
        values = given(
            {
                "query": query,
                "information_need": information_need,
                "weight": weight,
                "tags": None if tags is None else list(tags),
            }
        )
        return self._change(Query, "PATCH", f"queries/{key_of(row)}", values)

    def delete_query(self, row: Key) -> None:
        """As long as no list, version or run has it. For admins."""
        self._delete(f"queries/{key_of(row)}")

    def preview_query_deletion(self, query_set: Key, queries: Sequence[Key]) -> Deleted:
        """What `delete_queries` would do. Nothing changes. For admins."""
        values = {"queries": [key_of(row) for row in queries]}
        path = f"query-sets/{key_of(query_set)}/queries/deletion-preview"
        return self._change(Deleted, "POST", path, values)

    def delete_queries(self, query_set: Key, queries: Sequence[Key]) -> Deleted:
        """Up to 10,000 at once. Those that a list, version or run has are kept. For admins."""
        values = {"queries": [key_of(row) for row in queries]}
        return self._change(Deleted, "POST", f"query-sets/{key_of(query_set)}/queries/delete", values)

    def documents(self, query_set: Key, *, document_id: str | None = None) -> Iterator[Document]:
        """All, or the one with this ID."""
        path = f"query-sets/{key_of(query_set)}/documents"
        return self._rows(Document, path, {"document_id": document_id})

    def document(self, document: Key) -> Document:
        return self._read(Document, f"documents/{key_of(document)}")

    def add_document(
        self,
        query_set: Key,
        *,
        document_id: str,
        title: str = "",
        body: str = "",
        url: str = "",
        image: str = "",
        fields: Mapping[str, str] | None = None,
    ) -> Document:
        """To add many, import a file. For admins."""
        texts = {"document_id": document_id, "title": title, "body": body, "url": url, "image": image}
        values = texts | {"fields": dict(fields or {})}
        return self._change(Document, "POST", f"query-sets/{key_of(query_set)}/documents", values)

    def change_document(
        self,
        document: Key,
        *,
        title: str | None = None,
        body: str | None = None,
        url: str | None = None,
        image: str | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> Document:
        """The further fields are replaced together. For admins."""
        texts = {"title": title, "body": body, "url": url, "image": image}
        values = given(texts | {"fields": None if fields is None else dict(fields)})
        return self._change(Document, "PATCH", f"documents/{key_of(document)}", values)

    def delete_document(self, document: Key) -> None:
        """As long as no list, version or run has it. For admins."""
        self._delete(f"documents/{key_of(document)}")

    def preview_document_deletion(self, query_set: Key, documents: Sequence[Key]) -> Deleted:
        """What `delete_documents` would do. Nothing changes. For admins."""
        values = {"documents": [key_of(row) for row in documents]}
        path = f"query-sets/{key_of(query_set)}/documents/deletion-preview"
        return self._change(Deleted, "POST", path, values)

    def delete_documents(self, query_set: Key, documents: Sequence[Key]) -> Deleted:
        """Up to 10,000 at once. Those that are in a pair are kept. For admins."""
        values = {"documents": [key_of(row) for row in documents]}
        return self._change(Deleted, "POST", f"query-sets/{key_of(query_set)}/documents/delete", values)

    def query_pairs(self, query: Key, *, list: Key | None = None) -> Iterator[GradedPair]:
        """The pairs of a query with their grades, in one list or in all."""
        return self._pairs(f"queries/{key_of(query)}/pairs", list)

    def document_pairs(self, document: Key, *, list: Key | None = None) -> Iterator[GradedPair]:
        """The same of a document."""
        return self._pairs(f"documents/{key_of(document)}/pairs", list)

    def _pairs(self, path: str, judgment_list: Key | None) -> Iterator[GradedPair]:
        return self._rows(
            GradedPair, path, {"list": None if judgment_list is None else key_of(judgment_list)}
        )

    def site_log(
        self,
        *,
        group: str = "",
        person: str = "",
        text: str = "",
        since: date | None = None,
        until: date | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Who did what, the newest first, in all query sets, even deleted ones. For site administrators."""
        query = {"group": group, "person": person, "text": text, "since": since, "until": until}
        return self.connection.rows("log", query)
