"""Notices before a run: missing features, and their consequences."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..config.git.environment import read_git_failure
from ..config.instructions.discovery import Instruction
from ..config.network.certificates import find_unread_certificates
from ..config.network.proxies import read_proxies
from ..config.paths import (
    ensure_data_folder,
    find_foreign_permissions,
    find_misnamed_configs,
    locate_home,
)
from ..config.security.executables import build_search_path, find_program
from ..config.security.private_files import open_private
from ..config.security.redaction import find_marks
from ..config.settings.env_vars import find_unknown_variables
from ..config.settings.keys import hide_secrets, iter_leaves, join_key
from ..config.settings.policy_file import load_managed_policy
from ..config.text import TemplatedText, join_texts, text
from ..config.trust.decision import Trust
from ..config.trust.trusted_reader import is_empty_folder
from ..memory.cards.project_claim import MOVED, NOT_SHARED, describe_claim, find_claim
from ..memory.snapshots.git_repository import find_git
from ..nodes.run.dependencies import Dependencies
from ..tools.runtime.missing_tools import find_missing_tools
from ..tools.tool_table import select_names

if TYPE_CHECKING:
    from ..config.settings.managed_policy import ManagedPolicy

DAMAGED = "the database was damaged; it was moved to `{path}`, and a new one was created"
PROJECT_SETS = "this project's settings apply: {effects}"
# What a setting of a project does, in words; of others the name and the value are said
SETTING_EFFECTS = {
    "security.command_whitelist": "these commands run without asking: {value}",
    "permissions.allow": "these calls run without asking: {value}",
    "permissions.ask": "you are asked about {value}",
    "permissions.deny": "these calls are refused: {value}",
    "security.mode": "the approval mode is {value}",
    "task.test_command": "the tests are {value}",
}
# Characters of an entry that are shown; `mcode config list` has all
MAX_ENTRY = 200
EMPTY_FOLDER = "`.llc.yaml` is an empty folder, so this project has no configuration"
NO_GIT = (
    "git is not installed: changes made by commands cannot be shown or undone, only those "
    "made by tools, and test results are not tied to all files"
)
BROKEN_GIT = (
    "git does not work: `{program}` says `{reason}`. Changes made by commands cannot be shown or "
    "undone, only those made by tools; repair or reinstall git"
)
NO_REPOSITORY = (
    "`{folder}` is not in a git repository: changes can be shown and undone, but there is no "
    "history and no commit to compare with"
)

UNTRUSTED = (
    "this folder is not trusted, so {left_out}; trust it with `mcode trust`, `--trust`, or "
    "`/trust` in a conversation"
)
# The same within a conversation
UNTRUSTED_HERE = "this folder is not trusted, so {left_out}; use `/trust` to trust it"
CHANGED = "Project files changed since you trusted this folder: {changed}"
CANNOT_TRUST = "it cannot be trusted because of `{path}`: {odd}"
MAX_NAMED = 10

NO_SANDBOX = "no sandbox: {why}; commands run with all your permissions"

IGNORED_INSTRUCTIONS = "instruction files that you have not approved are ignored: {files}; {ask}"
UNREAD_INSTRUCTIONS = "an instruction file is not read: `{name}`: {why}"
CUT_INSTRUCTIONS = "an instruction file is cut: `{name}` by {count} bytes, since all are too large"
ASK = "review them with `mcode trust`, or `/trust` in a conversation"
ASK_ABOVE = "run `mcode trust {folder}` to review them"

HIDDEN = "what looks like a secret was taken out of the request, so the model reads {marks} instead"

FINISHED = "finished an interrupted restore; files restored: {count}"
LEFT = "skipped `{path}`: {reason}"

POLICY = "the policy `{file}` applies: {effects}"
UNREAD_NETWORK = "network settings that cannot be read are ignored: {variables}"
UNKNOWN_VARIABLES = "variables that are no settings are ignored: {variables}"
MISNAMED = "configuration files with another name are not read: {files}"
FOREIGN_PERMISSIONS = (
    "permissions of another agent are not read: {files}; write what must hold here under "
    "`permissions:` in `.llc.yaml`"
)
IDLE_HOOKS = "hooks that match no tool never run: {hooks}"

MISSING_TOOLS = "the configuration names tools that are not available here: {tools}"

# Prefixes of notices about a state, not an event; a conversation shows them once
STANDING = tuple(
    words.partition("{")[0]
    for words in (
        UNTRUSTED,
        UNREAD_INSTRUCTIONS,
        CUT_INSTRUCTIONS,
        IGNORED_INSTRUCTIONS,
        NO_SANDBOX,
        MISSING_TOOLS,
        IDLE_HOOKS,
        FOREIGN_PERMISSIONS,
        POLICY,
        NOT_SHARED,
        MOVED,
    )
)
# Prefixes of notices that the user should act on, or that take something away
WARNINGS = (
    *STANDING,
    *(words.partition("{")[0] for words in (DAMAGED, NO_GIT, BROKEN_GIT, CANNOT_TRUST)),
    *(words.partition("{")[0] for words in (CHANGED, HIDDEN, LEFT, UNREAD_NETWORK)),
    *(words.partition("{")[0] for words in (UNKNOWN_VARIABLES, MISNAMED)),
)


def collect_notices(
    folder: Path,
    set_aside: Path | None,
    sent: Iterable[str] = (),
) -> list[str]:
    """Return one line for each notice; `set_aside` is the path of a damaged database.

    `sent` are the texts for the model.
    """
    notices = [text(DAMAGED, path=set_aside)] if set_aside else []
    notices += collect_network_notices(os.environ)
    notices += collect_ignored_notices(folder, os.environ)
    if is_empty_folder(folder):
        notices.append(EMPTY_FOLDER)
    if find_git(folder) is None:
        notices.append(_describe_missing_git(folder))
    elif not any((place / ".git").exists() for place in (folder, *folder.parents)):
        notices.append(text(NO_REPOSITORY, folder=folder))
    if marks := find_marks("\n".join(sent)):
        notices.append(text(HIDDEN, marks=", ".join(sorted(marks))))
    return notices


def _describe_missing_git(folder: Path) -> str:
    program = find_program("git", outside=[folder])
    if program is None:
        return NO_GIT
    reason = read_git_failure(program, build_search_path(folder))
    return text(BROKEN_GIT, program=program, reason=reason)


def collect_setting_notices(deps: Dependencies) -> list[str]:
    """Return one notice about the project's own settings of endpoints, permissions and commands.

    It is said once, and again when they have changed.
    """
    values = _read_project_values(deps)
    if not values or not _note_settings(deps.home, str(deps.workspace.root), values):
        return []
    effects = [_describe_setting(key, value) for key, value in values.items()]
    return [text(PROJECT_SETS, effects=join_texts("; ", effects))]


def _read_project_values(deps: Dependencies) -> dict[str, object]:
    """Return what the project itself sets, not what it comes to with the user's own lists."""
    own = iter_leaves(hide_secrets(deps.sources.loaded.project_values))
    values = {join_key(path): value for path, value in own}
    return {key: values.get(key, "…") for key in deps.from_project}


def _describe_setting(key: str, value: object) -> str:
    entries = cast("list[object]", value) if isinstance(value, list) else [value]
    joined = ", ".join(map(_format_entry, entries))
    effect = SETTING_EFFECTS.get(key)
    return text(effect, value=joined) if effect else f"`{key}` {joined}"


def _format_entry(entry: object) -> str:
    is_text = isinstance(entry, str)
    entry_text = entry if is_text else json.dumps(entry, ensure_ascii=False, default=str)
    is_long = len(entry_text) > MAX_ENTRY
    cut = f"{entry_text[:MAX_ENTRY]}…" if is_long else entry_text
    return f"`{cut}`" if is_text else cut


def _note_settings(home: Path, folder: str, values: Mapping[str, object]) -> bool:
    """Record what was said of a folder's settings; return whether it is news."""
    file, digests = ensure_data_folder(home) / "said-settings.json", dict[str, object]()
    with suppress(OSError, ValueError, RecursionError):
        recorded = json.loads(file.read_text(encoding="utf-8"))
        digests = cast("dict[str, object]", recorded) if isinstance(recorded, dict) else digests
    digest = sha256(json.dumps(values, default=str).encode()).hexdigest()[:16]
    if digests.get(folder) == digest:
        return False
    with suppress(OSError), open(file, "w", encoding="utf-8", opener=open_private) as opened:
        json.dump({**digests, folder: digest}, opened)
    return True


def collect_network_notices(environ: Mapping[str, str]) -> list[str]:
    """Return one notice about variables of proxies and certificates that are skipped."""
    unread = (*read_proxies(environ).unread, *find_unread_certificates(environ))
    named = [text("`{name}` ({reason})", name=each.name, reason=each.reason) for each in unread]
    return [text(UNREAD_NETWORK, variables=join_texts(", ", named))] if named else []


def collect_ignored_notices(folder: Path, environ: Mapping[str, str]) -> list[str]:
    """Return the notices about settings that nobody reads: their variable or file is misnamed."""
    files = [
        text("`{file}` (it must be `{right}`)", file=file, right=right)
        for file, right in find_misnamed_configs(folder, locate_home(environ))
    ]
    notices = [text(MISNAMED, files=_format_names(files))] if files else []
    if foreign := find_foreign_permissions(folder):
        notices.append(text(FOREIGN_PERMISSIONS, files=_format_names(foreign)))
    if variables := find_unknown_variables(environ):
        notices.append(text(UNKNOWN_VARIABLES, variables=_format_names(variables)))
    return notices


def collect_hook_notices(deps: Dependencies) -> list[str]:
    """Return one notice about configured hooks whose matcher fits no tool."""
    hooks = deps.sources.loaded.hooks
    if not hooks:
        return []
    from ..tools.hooks.problems import find_problems

    of_program = [tool.name for tool in deps.program_tools]
    names = [*select_names(lambda entry: entry.effect != "talk"), *of_program]
    idle = [
        text("`{matcher}` ({origin})", matcher=problem.value, origin=problem.origin)
        for problem in find_problems(hooks, names, deps.workspace.root)
        if problem.kind == "matcher"
    ]
    return [text(IDLE_HOOKS, hooks=_format_names(idle))] if idle else []


def collect_sandbox_notices(deps: Dependencies) -> list[str]:
    """Return one notice if a sandbox is wanted when available, and none is."""
    if deps.sandbox.is_on or deps.settings.sandbox.mode == "off":
        return []
    return [text(NO_SANDBOX, why=deps.sandbox.why_none)]


def collect_policy_notices(deps: Dependencies) -> list[str]:
    """Return one notice about an administrator's policy, if it changes something here."""
    policy = load_managed_policy()
    if policy is None:
        return []
    effects = _list_policy_effects(policy, deps)
    named = join_texts("; ", effects)
    return [text(POLICY, file=policy.layer.name, effects=named)] if effects else []


def _list_policy_effects(policy: "ManagedPolicy", deps: Dependencies) -> list[str]:
    """List what is stricter than the user's and the project's settings say."""
    file = f"{policy.layer.name}:"
    changed = [
        key for key, origin in deps.sources.loaded.origins.items() if origin.startswith(file)
    ]
    effects = [text("it sets {keys}", keys=", ".join(f"`{key}`" for key in changed))]
    mode = policy.keys.mode
    is_at_limit = mode is not None and deps.policy.mode == mode
    effects += [text("no mode is looser than `{mode}`", mode=mode)] if is_at_limit else []
    if policy.keys.hooks != "all":
        hooks = {"none": "no hook runs", "user": "no hook of a project runs"}
        effects.append(hooks[policy.keys.hooks])
    refused = [server.name for server in deps.sources.servers if file in server.problem]
    if refused:
        names = ", ".join(f"`{name}`" for name in refused)
        effects.append(text("these MCP servers are not used: {names}", names=names))
    return effects


def collect_trust_notices(trust: Trust, *, tests: bool) -> list[str]:
    """Return one notice about what is ignored in an untrusted folder, and why; none if trusted.

    `tests`: whether the job would run the project's tests.
    """
    if trust.trusted or not (trust.inventory or tests):
        return []
    left_out = "its tests are not run"
    if trust.inventory:
        files = "these project files are ignored: {files}"
        both = "these project files are ignored: {files}, and its tests are not run"
        left_out = text(both if tests else files, files=_files(trust))
    why = [text(CHANGED, changed=_format_names(trust.changed))] if trust.changed else []
    why += [text(CANNOT_TRUST, path=item.path, odd=item.problem) for item in trust.unreadable[:1]]
    why += [trust.damaged] if trust.damaged else []
    return [join_texts(". ", [text(UNTRUSTED, left_out=left_out), *why])]


def collect_instruction_notices(deps: Dependencies) -> list[str]:
    """Return one notice about instruction files that are not trusted in their current version.

    And one for each that is left out, or cut, for another reason.
    """
    instructions = deps.sources.instructions
    incomplete = describe_incomplete_instructions(instructions)
    files = [instruction for instruction in instructions if instruction.folder_to_trust]
    if not files:
        return incomplete
    above = [
        instruction.folder_to_trust
        for instruction in files
        if instruction.folder_to_trust != str(deps.workspace.root)
    ]
    ways = [ASK] if len(above) < len(files) else []
    ways += [text(ASK_ABOVE, folder=folder) for folder in dict.fromkeys(above)]
    named = _format_names([f"`{instruction.name}`" for instruction in files])
    return [text(IGNORED_INSTRUCTIONS, files=named, ask=join_texts("; ", ways)), *incomplete]


def describe_incomplete_instructions(instructions: Sequence[Instruction]) -> list[str]:
    """Describe the files that are left out or cut although their folder is trusted."""
    return [
        text(UNREAD_INSTRUCTIONS, name=instruction.name, why=text(instruction.left_out))
        if instruction.left_out
        else text(CUT_INSTRUCTIONS, name=instruction.name, count=instruction.cut)
        for instruction in instructions
        if (instruction.left_out or instruction.cut) and not instruction.folder_to_trust
    ]


def collect_standing_notices(deps: Dependencies, *, tests: bool) -> list[str]:
    """Return the notices about a state; `tests`: whether the job would run the project's tests."""
    return [
        *collect_policy_notices(deps),
        *collect_trust_notices(deps.trust, tests=tests),
        *collect_instruction_notices(deps),
        *collect_sandbox_notices(deps),
        *_collect_tool_notices(deps),
        *collect_hook_notices(deps),
        *_collect_memory_notices(deps),
    ]


def _collect_memory_notices(deps: Dependencies) -> list[str]:
    """Return one notice if the folder could have another one's memory, and nobody was asked."""
    if not (deps.trust.trusted and deps.settings.memory.enabled):
        return []
    claim = find_claim(deps.home, deps.workspace.root)
    return [describe_claim(claim)] if claim else []


def _collect_tool_notices(deps: Dependencies) -> list[str]:
    root, trust = deps.workspace.root, deps.trust
    names = [f"`{name}`" for name in find_missing_tools(deps.settings, root, deps.home, trust)]
    return [text(MISSING_TOOLS, tools=_format_names(names))] if names else []


def adapt_to_conversation(notice: str) -> str:
    """Return the notice with a conversation's own commands."""
    ways, ways_here = (words.rpartition("}")[2] for words in (UNTRUSTED, UNTRUSTED_HERE))
    return _replace_ways(notice, ways, ways_here) if notice.startswith(STANDING) else notice


def _replace_ways(notice: str, ways: str, ways_here: str) -> str:
    if not isinstance(notice, TemplatedText):
        return notice.replace(ways, ways_here, 1)
    values = {name: _replace_ways(value, ways, ways_here) for name, value in notice.values.items()}
    return TemplatedText(notice.template.replace(ways, ways_here, 1), values)


def _files(trust: Trust) -> str:
    """List the folder's files by kind."""
    kinds = groupby(trust.inventory[:MAX_NAMED], lambda item: item.kind)
    named = [f"{', '.join(f'`{item.path}`' for item in files)} ({kind})" for kind, files in kinds]
    return join_texts("; ", [*named, *_format_remainder(len(trust.inventory))])


def _format_names(names: Sequence[str]) -> str:
    return join_texts("; ", [*names[:MAX_NAMED], *_format_remainder(len(names))])


def _format_remainder(count: int) -> list[str]:
    return [text("and {count} others", count=count - MAX_NAMED)] if count > MAX_NAMED else []


async def finish_restore(deps: Dependencies, thread_id: str) -> list[str]:
    """Finish an interrupted restore of the thread's files; return notices about it."""
    from ..memory.undo.restore import finish_interrupted

    if deps.settings.storage:
        from .threads.workspace import fetch_thread_files

        folder = str(deps.workspace.root)
        await fetch_thread_files(thread_id, folder, deps.home, deps.snapshots, deps.history)
    done = await finish_interrupted(deps.snapshots, deps.history, thread_id)
    if done is None:
        return []
    left = [text(LEFT, path=conflict.path, reason=conflict.reason) for conflict in done.conflicts]
    return [text(FINISHED, count=len(done.paths)), *left]
