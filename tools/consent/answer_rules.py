"""Rules that the user gave for one thread, as texts in its State: each with what it covers.

A rule of an older thread has no such part: it covers only calls that start nothing by a name.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from ...config.security.provenance import Provenance
from ...config.settings.permission_rules import RawRule
from .rule_record import (
    CorruptRuleRecordError,
    locate_rule_record,
    provenances_from_json,
    provenances_to_json,
    read_project_rules,
)

# Where the rules are written that the user gave for one thread
THIS_THREAD = "this thread"


def format_thread_rule(rule: str, provenances: Iterable[Provenance]) -> str:
    """Return a rule with what it covers; no rule has two lines."""
    covered = provenances_to_json(provenances)
    return f"{rule}\n{json.dumps(covered)}" if covered else rule


def parse_thread_rule(written: str) -> RawRule:
    """Parse a rule of the State; of an unknown form it covers nothing that is started."""
    rule, _, rest = written.partition("\n")
    consent: tuple[Provenance, ...] = ()
    if rest:
        try:
            consent = provenances_from_json(json.loads(rest))
        except ValueError:
            consent = ()
    return RawRule("allow", rule, THIS_THREAD, consent=consent)


def load_answer_rules(home: Path, folder: str, thread_rules: Iterable[str]) -> list[RawRule]:
    """Return the rules that the user gave by an answer, for the project and for the thread.

    From an invalid record none holds.
    """
    rules = [parse_thread_rule(written) for written in thread_rules]
    try:
        own = read_project_rules(home).get(folder, ())
    except CorruptRuleRecordError:
        own = ()
    place = str(locate_rule_record(home))
    return [
        *rules,
        *(RawRule("allow", item.rule, place, consent=item.provenances) for item in own),
    ]
