"""`touchstone gate --site`: passes or fails a run in a file beside a site's judgments and a stored run."""

import argparse
from typing import TextIO

from touchstone_core.commands.site_lists import named_list, site_of
from touchstone_core.offline.command_line import bad_input_refused, warn
from touchstone_core.offline.gate import check_demands
from touchstone_core.offline.gate_command import (
    NOT_PASSED,
    conditions_text,
    demands_of,
    outputs_of,
    write_report,
)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """The exit status. Writes the answer to `out` and warnings to `err`. Raises InputError before that."""
    with bad_input_refused():
        check_demands(demands_of(options.measures), has_baseline=bool(options.baseline))
    with site_of(options) as site:
        judged = named_list(site, options)
        gate = site.gate(
            judged.judgment_list,
            options.run,
            baseline=site.run_named(judged.query_set, options.baseline) if options.baseline else None,
            conditions=conditions_text(options.measures),
            version=judged.version,
            title=options.title,
            order=options.order,
            unknown=options.unknown,
            duplicates=options.duplicates,
        )
    warn(gate.warnings, err)
    write_report(gate, out, **outputs_of(vars(options)))
    return 0 if gate.passed else NOT_PASSED
