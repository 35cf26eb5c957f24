"""Whatever changes something says so to the log: every public function of the actions that writes, or the reason why not."""

import ast
from functools import cache
from pathlib import Path

from tests.architecture.test_rules import HARMLESS_OWNERS, ROOT, WRITES, sources

RECORDS = {
    "judgments.log.actions.record_act",
    # These write one line for each row that they change, in the statement that changes it.
    "judgments.content.sql.content.log_rows",
    "judgments.content.sql.content.set_tag",
    "judgments.content.sql.unused.delete_unused",
}
RATER = "what a rater does on the rating screen has rows and a history of its own"
STEP = "a step of other actions, which record what it was for"
FOLLOWS = "brings up to date what follows from acts that are recorded"
READS = "changes nothing"
TAKEN_BACK = "looks ahead by doing the act, and takes it back"
OWN = "concerns nobody but the account itself"
KEEPS = "keeps what anybody can compute again"
KEPT = "keeps what anybody can compute again, and counts who looked in a table of its own"

UNRECORDED = {
    "judgments.people.actions.accounts.create_account": OWN,
    "judgments.people.actions.accounts.set_keys": OWN,
    "judgments.people.actions.accounts.set_pace": OWN,
    "judgments.people.actions.accounts.set_single_key_shortcuts": OWN,
    "judgments.agreement.actions.adjudication.effect_of_exclusion": TAKEN_BACK,
    "judgments.agreement.actions.adjudication.lock_pair": READS,
    "judgments.agreement.actions.agreement.agreement_of": KEEPS,
    "judgments.agreement.actions.agreement.agreement_or_ask": KEEPS,
    "judgments.agreement.actions.agreement.work_out_agreement": KEEPS,
    "judgments.base.background.ask_worker": FOLLOWS,
    "judgments.grades.actions.consensus.refresh_within": FOLLOWS,
    "judgments.grades.actions.consensus.tell_queries": STEP,
    "judgments.people.actions.erasure.remove_access": STEP,
    "judgments.people.actions.invitations.revoke_all_by": FOLLOWS,
    "judgments.people.actions.invitations.revoke_unvouched_by": FOLLOWS,
    "judgments.content.actions.content.author": READS,
    "judgments.judging.actions.answers.following": FOLLOWS,
    "judgments.judging.actions.gold.mix_in": RATER,
    "judgments.judging.actions.gold.place_before": READS,
    "judgments.judging.actions.gold.practice": RATER,
    "judgments.judging.actions.gold.waiting_gold_pairs": READS,
    "judgments.judging.actions.answers.remember": RATER,
    "judgments.judging.actions.judging.record_judgment": RATER,
    "judgments.lists.actions.lists.effect_of": READS,
    "judgments.grades.actions.model_fits.ask_for_fit": FOLLOWS,
    "judgments.grades.actions.model_fits.fit_model": FOLLOWS,
    "judgments.grades.actions.model_fits.fit_now": FOLLOWS,
    "judgments.base.names.given_once": READS,
    "judgments.files.actions.machines.lift_needless_exclusions": STEP,
    "judgments.files.actions.machines.leave_machines_out": STEP,
    "judgments.lists.actions.pairs.begin_rounds_anew": STEP,
    "judgments.lists.actions.deciding.update_grades": STEP,
    "judgments.lists.actions.pairs.settle": STEP,
    "judgments.people.actions.hosts.note_host": "keeps what a host was started with, which concerns no data",
    "judgments.people.actions.hosts.take_shared_key": "keeps the key that hosts share, which concerns no data",
    "judgments.people.actions.hosts.shared_key": "keeps the key that hosts share, which concerns no data",
    "judgments.people.actions.second_factor.check_code": "a step of a sign-in, which the security log has",
    "judgments.people.actions.sessions.end_other_sessions": OWN,
    "judgments.people.actions.sessions.forget_session": OWN,
    "judgments.people.actions.sessions.keep_one_session": OWN,
    "judgments.people.actions.sessions.note_sign_in": OWN,
    "judgments.people.actions.api_calls.answer_once": "keeps the answer of a call, whose action records its act",
    "judgments.people.actions.api_calls.count_call": "counts calls for their limit",
    "judgments.people.actions.api_calls.note_use": OWN,
    "judgments.people.actions.tokens.revoke_tokens_of": FOLLOWS,
    "judgments.people.actions.password_tries.count_try": "counts for the throttle; the security log has the line",
    "judgments.people.actions.password_tries.forgive_try": "counts for the throttle; the security log has the line",
    "judgments.lists.actions.held_slots.let_go": STEP,
    "judgments.lists.actions.held_slots.release_all": STEP,
    "judgments.lists.actions.pairs.settle_slots": STEP,
    "judgments.lists.actions.scales.write_presets": "runs after every migrate, for what comes with the program",
    "judgments.judging.actions.queue.claim": RATER,
    "judgments.judging.actions.queue.enter": RATER,
    "judgments.judging.actions.queue.enter_with_list": RATER,
    "judgments.judging.actions.queue.enter_with_pair": RATER,
    "judgments.judging.actions.queue.first_place": RATER,
    "judgments.judging.actions.queue.locked_pair": READS,
    "judgments.judging.actions.queue.renew": RATER,
    "judgments.judging.actions.queue.skip": RATER,
    "judgments.judging.actions.repeats.last_act": READS,
    "judgments.judging.actions.repeats.mix_in": RATER,
    "judgments.judging.actions.repeats.put_off": RATER,
    "judgments.judging.actions.repeats.save_answer": RATER,
    "judgments.judging.actions.repeats.standing_answer": READS,
    "judgments.judging.actions.repeats.take_back": RATER,
    "judgments.judging.actions.repeats.waiting_repeats": READS,
    "judgments.judging.actions.undo.undo": RATER,
    "judgments.files.actions.import_jobs.cancel_import": "an import that is cancelled has changed nothing",
    "evaluation.runs.actions.run_jobs.is_large": READS,
    "evaluation.runs.actions.run_jobs.score_new_runs": FOLLOWS,
    "judgments.content.actions.deletion_jobs.is_large": READS,
    "judgments.content.actions.deleting.delete_files_later": STEP,
    "judgments.content.actions.deleting.check_name": READS,
    "judgments.files.actions.uploads.discard_undecided": "a file that waits for a decision has changed nothing",
    "evaluation.runs.actions.fetching.keep_answers": "a file that waits to be stored has changed nothing",
    "judgments.files.actions.uploads.keep_choices": "a file that waits for a decision has changed nothing",
    "judgments.files.actions.uploads.keep_content": "a file that waits for a decision has changed nothing",
    "judgments.files.actions.uploads.keep_upload": "a file that waits for a decision has changed nothing",
    "judgments.files.actions.uploads.take_over_files": "a file that waits for a decision has changed nothing",
    "judgments.files.actions.uploads.discard_from_draft": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.drafts.add_files": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.drafts.unpack_archive": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.drafts.unpack_archives": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.reading_jobs.keep_reading": KEEPS,
    "evaluation.start.actions.reading_jobs.read_in_background": KEEPS,
    "evaluation.start.actions.reading_jobs.reading_or_ask": KEEPS,
    "evaluation.start.actions.making_jobs.cancel_evaluation": "an evaluation that is cancelled has changed nothing",
    "evaluation.start.actions.reading_jobs.reading_key": READS,
    "evaluation.start.actions.drafts.begin_draft": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.drafts.begin_example": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.drafts.discard_draft": "a file that waits for a decision has changed nothing",
    "evaluation.start.actions.drafts.keep_draft_choices": "a file that waits for a decision has changed nothing",
    "evaluation.comparisons.actions.comparing.bring_question_up_to_date": FOLLOWS,
    "evaluation.comparisons.actions.comparing.compare_runs": KEPT,
    "evaluation.comparisons.actions.comparing_jobs.answer_or_ask": KEPT,
    "evaluation.comparisons.actions.comparing_jobs.compare_in_background": KEPT,
    "evaluation.comparisons.actions.comparing_jobs.leave_to_worker": FOLLOWS,
    "evaluation.comparisons.actions.comparing.count_look": KEPT,
    "evaluation.comparisons.actions.comparing.current_evaluations": READS,
    "evaluation.comparisons.actions.comparing.find_answer": READS,
    "evaluation.comparisons.actions.comparing.forget_oldest": KEPT,
    "evaluation.comparisons.actions.comparing.question_key": READS,
    "evaluation.comparisons.actions.comparing.read_compared": FOLLOWS,
    "evaluation.comparisons.actions.comparing.was_scored": READS,
    "evaluation.comparisons.actions.comparing_queries.compare_queries": KEPT,
    "evaluation.gate.actions.gate_run_file": FOLLOWS,
    "evaluation.gate.actions.measure_gate": FOLLOWS,
    "evaluation.scores.actions.measures.bring_measures_up_to_date": FOLLOWS,
    "evaluation.scores.actions.measures.measures_are_scored": READS,
    "evaluation.scores.actions.measures.measures_are_up_to_date": READS,
    "evaluation.scores.actions.measures.score_outdated_measures": FOLLOWS,
    "evaluation.scores.actions.pruning.forget_formulas": FOLLOWS,
    "evaluation.scores.actions.pruning.forget_measures": FOLLOWS,
    "evaluation.scores.actions.rescoring.insert_missing": FOLLOWS,
    "evaluation.scores.actions.rescoring.rescore": FOLLOWS,
    "evaluation.scores.actions.rescoring.store_by_copy": FOLLOWS,
    "evaluation.scores.actions.scores.bring_up_to_date": FOLLOWS,
    "evaluation.scores.actions.scores.is_up_to_date": READS,
    "evaluation.scores.actions.scores.score_outdated": FOLLOWS,
    "evaluation.scores.actions.scores.freshness_of": READS,
    "evaluation.scores.actions.scoring_jobs.score_in_background": FOLLOWS,
    "evaluation.scores.actions.scoring_jobs.score_or_ask": FOLLOWS,
}


class Module:
    """An actions module: its functions, and what the names in it stand for."""

    def __init__(self, path: Path) -> None:
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        tree = ast.parse(path.read_text())
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.names: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for one in node.names:
                    self.names[one.asname or one.name] = f"{node.module}.{one.name}"

    def called(self, function: str) -> set[str]:
        """The full names of what a function calls, methods as `.save`. What is passed on counts as called."""
        found = set()
        for node in ast.walk(self.functions[function]):
            if isinstance(node, ast.Attribute):
                owner = ast.unparse(node.value).split(".")[-1]
                root = self.names.get(ast.unparse(node.value))
                found.add(f"{root}.{node.attr}" if root else f".{node.attr}")
                if owner in HARMLESS_OWNERS and not root:
                    found.discard(f".{node.attr}")
            elif isinstance(node, ast.Name):
                found.add(self.names.get(node.id, f"{self.name}.{node.id}"))
        return found


MODULES = {
    module.name: module
    for path in [
        *sources("actions"),
        *(ROOT / "judgments" / "base" / name for name in ("background.py", "names.py")),
    ]
    if (module := Module(path)).functions
}


@cache
def reached(function: str) -> frozenset[str]:
    """Whatever a function of the actions calls, and what those of them call that are actions too."""
    found: set[str] = set()
    waiting = [function]
    while waiting:
        module, _, name = waiting.pop().rpartition(".")
        if module not in MODULES or name not in MODULES[module].functions:
            continue
        fresh = MODULES[module].called(name) - found
        found |= fresh
        waiting += fresh
    return frozenset(found)


def writes(function: str) -> bool:
    """By the ORM, by SQL (`sql`), or in a transaction of its own."""
    module, _, name = function.rpartition(".")
    decorators = {ast.unparse(one) for one in MODULES[module].functions[name].decorator_list}
    called = reached(function)
    return (
        "transaction.atomic" in decorators
        or any(name.startswith(".") and name[1:] in WRITES for name in called)
        or any(".sql." in name for name in called)
    )


def records(function: str) -> bool:
    return not RECORDS.isdisjoint(reached(function))


PUBLIC = [
    f"{module.name}.{function}"
    for module in MODULES.values()
    if module.name != "judgments.log.actions"
    for function in module.functions
    if not function.startswith("_")
]


def test_whatever_changes_something_says_so_to_the_log():
    unrecorded = [name for name in PUBLIC if name not in UNRECORDED and writes(name) and not records(name)]
    needless = [name for name in PUBLIC if name in UNRECORDED and records(name)]

    assert unrecorded == [], "call record_act, or say in UNRECORDED why there is nothing to record"
    assert needless == [], "they record an act, and need not be among the exceptions"


def test_the_search_sees_writers_and_records():
    assert writes("judgments.lists.actions.versions.freeze_version")
    assert records("judgments.lists.actions.versions.freeze_version")
    assert not writes("judgments.judging.actions.answers.check_on_scale")
    assert not records("judgments.lists.actions.versions.content_hash")


def test_every_exception_is_there():
    assert set(UNRECORDED) - set(PUBLIC) == set(), "no such action is left: remove or rename the exception"
