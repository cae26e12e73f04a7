"""The record of rules that the user gave by "always": one strict JSON file in the home folder.

Each belongs to a project, and covers only what it was given for: the scripts, files and servers
that its calls start, as they were then. From an invalid record no rule holds, and it is kept for
the user to inspect.
"""

import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from ...config.errors import MaxAgentError
from ...config.paths import ensure_data_folder
from ...config.security.file_lock import choose_file_hint
from ...config.security.private_files import lock_folder, replace_file
from ...config.security.provenance import Provenance
from ...config.text import text

# Bytes
MAX_BYTES = 20_000_000


@dataclass(frozen=True)
class ProjectRule:
    """An `allow` rule of one project, from an answer of the user."""

    rule: str
    """`TOOL` or `TOOL(PATTERN)`."""
    since: str
    """Time of the answer, in ISO 8601."""
    provenances: tuple[Provenance, ...] = ()
    """What its calls started when the user allowed them."""


# By real path of the project's folder
RulesByFolder = dict[str, tuple[ProjectRule, ...]]
# The records as they were read last, by file, each with the state of its file
_records: dict[Path, tuple[tuple[int, ...], RulesByFolder]] = {}
# Nanoseconds after which a file counts as written
_SETTLED = 2_000_000_000


class CorruptRuleRecordError(MaxAgentError):
    """The record is invalid, so no rule of it holds."""


def locate_rule_record(home: Path) -> Path:
    """Return the path of the record; it may not exist yet."""
    return home / "data" / "rules.json"


def read_project_rules(home: Path) -> RulesByFolder:
    """Return the rules of every project; raises CorruptRuleRecordError."""
    file = locate_rule_record(home)
    try:
        with file.open("rb") as stream:
            now = os.fstat(stream.fileno())
            state = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
            if file in _records and _records[file][0] == state:
                return dict(_records[file][1])
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ValueError("it is too large")
        rules = _parse_record(json.loads(content, object_pairs_hook=_reject_duplicates))
        # what has just changed may change again within one tick of the clock
        if time.time_ns() - now.st_ctime_ns > _SETTLED:
            _records[file] = state, rules
        return dict(rules)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise CorruptRuleRecordError(
            text("cannot read the rules of your projects, `{file}`, so none holds", file=file),
            hint=text(
                "{error}; run `mv {file} {file2}.damaged`", error=error, file=file, file2=file
            ),
        ) from error


def save_project_rule(
    home: Path, folder: str, rule: str, provenances: Iterable[Provenance]
) -> None:
    """Add a rule to a project, or bind it to what its calls start now.

    Raises CorruptRuleRecordError, and MaxAgentError if it cannot be written.
    """
    current = set(provenances)
    names = {(item.subject, item.source) for item in current}
    since = datetime.now(UTC).isoformat(timespec="seconds")

    def add_rule(rules: tuple[ProjectRule, ...]) -> tuple[ProjectRule, ...]:
        old = [item for known in rules if known.rule == rule for item in known.provenances]
        kept = [item for item in old if (item.subject, item.source) not in names]
        bound = ProjectRule(rule, since, tuple(sorted({*kept, *current})))
        return (*(known for known in rules if known.rule != rule), bound)

    _update_rules(home, folder, add_rule)


def remove_project_rule(home: Path, folder: str, rule: str) -> bool:
    """Remove a rule from a project; return whether there was one. Raises as `save_project_rule`."""
    if rule not in {known.rule for known in read_project_rules(home).get(folder, ())}:
        return False
    _update_rules(home, folder, lambda rules: tuple(known for known in rules if known.rule != rule))
    return True


def _update_rules(
    home: Path,
    folder: str,
    change: Callable[[tuple[ProjectRule, ...]], tuple[ProjectRule, ...]],
) -> None:
    file = ensure_data_folder(home) / locate_rule_record(home).name
    try:
        with lock_folder(file.parent):
            record = read_project_rules(home)
            rules = change(record.pop(folder, ()))
            record |= {folder: rules} if rules else {}
            written = {name: list(map(_to_json, rules)) for name, rules in record.items()}
            replace_file(file, json.dumps(written, indent=1).encode())
    except OSError as error:
        message = text(
            "cannot write the rules of your projects, `{file}`: {reason}",
            file=file,
            reason=error.strerror,
        )
        raise MaxAgentError(
            message, hint=choose_file_hint(error, "check its permissions and the free space")
        ) from error


def _to_json(rule: ProjectRule) -> dict[str, object]:
    return {
        "rule": rule.rule,
        "since": rule.since,
        "provenances": provenances_to_json(rule.provenances),
    }


def provenances_to_json(provenances: Iterable[Provenance]) -> list[list[str]]:
    """Convert to lists of subject, source and digest."""
    return [list(astuple(item)) for item in provenances]


def provenances_from_json(value: object) -> tuple[Provenance, ...]:
    """Convert back; raises ValueError for anything else."""
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    return tuple(map(_parse_provenance, items))


def _parse_provenance(value: object) -> Provenance:
    parts = cast("list[object]", value) if isinstance(value, list) else []
    if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        raise ValueError("an entry is not a valid provenance")
    subject, source, digest = cast("list[str]", parts)
    return Provenance(subject, source, digest)


def _parse_record(value: object) -> RulesByFolder:
    return {
        folder: tuple(map(_parse_rule, _require_list(rules)))
        for folder, rules in _require_mapping(value).items()
    }


def _parse_rule(value: object) -> ProjectRule:
    fields = _require_mapping(value)
    rule, since = fields.get("rule"), fields.get("since")
    known = {"rule", "since", "provenances"}
    if set(fields) != known or not isinstance(rule, str) or not isinstance(since, str):
        raise ValueError("an entry is not a valid rule")
    return ProjectRule(rule, since, provenances_from_json(fields["provenances"]))


def _require_mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError("it is not a mapping of folders")
    return cast("dict[str, object]", value)


def _require_list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError("a folder has no list of rules")
    return cast("list[object]", value)


def _reject_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("it contains a name twice")
    return unique
