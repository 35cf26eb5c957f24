"""Whatever writes judgments tells their queries, by whose `judgments_revision` figures of agreement know that they are old (ADR 38).

A trigger would see every write, but hold the rows of queries from a rater's first statement on: ADR 38 says why that is no way.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.test_rules import named, sources, tree_of

ORM = {
    "save",
    "delete",
    "update",
    "create",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
}
SQL = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|COPY|TRUNCATE)\s+(?:ONLY\s+)?judgments_judgment\b"
)
BY_SQL = {
    "judgments/files/sql/judgment_merges.py": "`finish` tells the queries of the file",
    "judgments/files/sql/undoing.py": "`undo_batch` recounts, which tells the queries of the batch",
    "judgments/judging/sql/slots.py": "`save` is called within `following`",
}
OTHER_ROWS = {
    "evaluation/start/actions/example.py": {
        "_judged_lately": "the method of the example, which agreement doesn't use"
    },
    "judgments/agreement/actions/adjudication.py": {
        "_withdraw": "a decision",
        "_lift_exclusion": "an exclusion",
    },
    "judgments/files/actions/machines.py": {
        "leave_machines_out": "what made a machine's grades, and exclusions",
        "lift_needless_exclusions": "exclusions",
    },
    "judgments/lists/actions/scales.py": {"change_scale": "a scale"},
    "judgments/judging/actions/repeats.py": {
        "put_off": "a pair to repeat",
        "take_back": "a pair to repeat, and an answer to it, which is no judgment",
        "save_answer": "a pair to repeat, and an answer to it, which is no judgment",
    },
    "judgments/judging/actions/undo.py": {
        "_take_skip_back": "a slot, a place in the queue and a skip",
        "_take_repeat_back": "the undo of an answer that is no judgment",
    },
}
"""What functions of files that import judgments write instead."""


def sql_writers(files: list[Path]) -> set[str]:
    """Files with a statement that writes judgments. Parts of f-strings are strings too."""
    strings = (
        (path, node.value)
        for path in files
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {named(path) for path, text in strings if SQL.search(text)}


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]


def method_calls(definition: ast.stmt) -> list[tuple[str, str]]:
    """Owner as written, and method."""
    return [
        (ast.unparse(node.func.value), node.func.attr)
        for node in ast.walk(definition)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]


def imports_judgments(path: Path) -> bool:
    return any(
        one.name == "Judgment"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    )


def may_write(owner: str, method: str, *, imported: bool) -> bool:
    """Whether a call may write judgments. A class names what it writes; a variable may be any row."""
    if (owner, method) == ("saving", "save") or (method in ORM and ".judgments." in f"{owner}."):
        return True
    return imported and method in ORM and (owner.startswith("Judgment.") or not owner[0].isupper())


def untold(path: Path) -> set[str]:
    """Functions of a file that may write judgments and don't do it within `following`."""
    imported = imports_judgments(path)
    return {
        function.name
        for function in functions(path)
        if any(may_write(owner, method, imported=imported) for owner, method in method_calls(function))
        and not any(
            isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr).startswith("following(")
            for node in ast.walk(function)
        )
    }


def writing_files() -> list[Path]:
    return [path for path in sources("actions", "sql") if "migrations" not in path.parts]


def test_statements_that_write_judgments_stand_where_their_queries_are_told():
    assert sql_writers([path for path in sources() if "migrations" not in path.parts]) == set(BY_SQL)


def test_every_function_that_writes_judgments_by_the_orm_tells_their_query():
    found = {named(path): names for path in writing_files() if (names := untold(path))}

    assert found == {path: set(names) for path, names in OTHER_ROWS.items()}


def test_whoever_merges_a_file_tells_its_queries():
    merging = [
        {method for owner, method in method_calls(definition) if owner == "judgment_merges"}
        for path in writing_files()
        for definition in tree_of(path).body  # a class tells in one method what it merges in another
    ]

    assert [called for called in merging if "merge" in called and "finish" not in called] == []
    assert any("merge" in called for called in merging), "the search finds it where it is"


@pytest.mark.parametrize(
    "body",
    [
        "Judgment.objects.filter(pk=1).update(value=2)",
        "pair.judgments.all().delete()",
        "saving.save(one, queue_id=1, at=at)",
    ],
)
def test_the_search_sees_a_function_that_tells_nobody(tmp_path, body):
    planted = tmp_path / "planted.py"
    planted.write_text(f"from judgments.models import Judgment\ndef f(pair):\n    {body}\n")

    assert untold(planted) == {"f"}


@pytest.mark.parametrize("text", ["UPDATE judgments_judgment j SET", "f'DELETE FROM judgments_judgment {x}'"])
def test_the_search_sees_a_statement(tmp_path, text):
    planted = tmp_path / "planted.py"
    planted.write_text(f"A = {text if text.startswith('f') else repr(text)}\n")

    assert sql_writers([planted]) == {"planted.py"}
