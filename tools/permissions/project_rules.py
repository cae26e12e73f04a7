"""The rules that the user gave by "always", each with its project and whether it still holds."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.security.provenance import Provenance, find_provenance_changes
from ...config.settings.permission_rules import RawRule
from ...config.text import text
from ..consent.command_origins import find_origins
from ..consent.git_origins import SETTINGS, find_git_origins
from ..consent.origin import Origin, read_file_origin
from ..consent.package_scripts import read_install_scripts, read_script
from ..consent.rule_record import ProjectRule, read_project_rules
from ..consent.task_files import read_tasks
from ..mcp.server_config import McpServer
from ..mcp.server_origins import find_server_origins
from .command_pattern import CommandPattern
from .rule import read_rule


@dataclass(frozen=True)
class ProjectRuleState:
    """A rule of a project, and what has changed since it was given."""

    project: str
    rule: ProjectRule
    changes: Sequence[str]
    """Why it does not cover what its calls start now, as messages; empty: it holds."""


def list_project_rules(
    home: Path, folder: str, servers: Iterable[McpServer], *, is_of_all: bool = False
) -> list[ProjectRuleState]:
    """List the rules of one project, or of all; raises CorruptRuleRecordError.

    `servers` are those of the project in `folder`.
    """
    own_servers, record = list(servers), read_project_rules(home)
    return [
        ProjectRuleState(project, rule, _find_changes(rule, Path(project), own_servers))
        for project, rules in sorted(record.items())
        if is_of_all or project == folder
        for rule in rules
    ]


def _find_changes(rule: ProjectRule, root: Path, servers: Sequence[McpServer]) -> list[str]:
    entries = {
        origin.provenance.subject: origin
        for server in servers
        for origin in find_server_origins(server, root)[:1]
    }
    changes = list[str]()
    for consented in rule.provenances:
        current = read_current_origin(consented, root, entries)
        if current is None:
            names = {"subject": consented.subject, "source": consented.source}
            changes.append(text("`{subject}` in `{source}` is gone", **names))
        else:
            changes += find_provenance_changes([consented], [current.provenance])
    return [*changes, *_find_new_origins(rule, root)]


def _find_new_origins(rule: ProjectRule, root: Path) -> Sequence[str]:
    """Return what the rule's words start now in the project's folder, and did not then.

    A rule that was given for a call in another folder says nothing about this one.
    """
    try:
        pattern = read_rule(RawRule("allow", rule.rule, "")).pattern
    except ValueError:  # of another version; loading the rules reports it
        return ()
    if not isinstance(pattern, CommandPattern):
        return ()
    current = [origin.provenance for origin in find_origins(pattern.words, root, root)]
    names = {(item.subject, item.source) for item in rule.provenances}
    new = [item for item in current if (item.subject, item.source) not in names]
    return find_provenance_changes((), new) if len(new) < len(current) or not names else ()


def read_current_origin(
    consented: Provenance, root: Path, servers: Mapping[str, Origin]
) -> Origin | None:
    """Return what is written there now; None if nothing is.

    `servers` are the entries of MCP servers, by subject.
    """
    subject, file = consented.subject, root / consented.source
    kind, _, name = subject.partition(" ")
    if kind == "server":
        return servers.get(subject)
    if subject == SETTINGS:
        origins = find_git_origins(root, root)
        return next((item for item in origins if _is_same(item, consented)), None)
    if not os.path.isfile(file):
        return None
    if subject == "install scripts":
        return read_install_scripts(file, root)
    if kind == "script" and name:
        return read_script(name, file, root)
    if kind == "tasks" and name:
        return read_tasks(name, file, root)
    return read_file_origin(subject, file, root)


def _is_same(origin: Origin, consented: Provenance) -> bool:
    now = origin.provenance
    return (now.subject, now.source) == (consented.subject, consented.source)
