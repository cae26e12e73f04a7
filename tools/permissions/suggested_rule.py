"""The narrowest rule for the answer "always", so that similar calls are not asked again.

A program's name alone is too broad, so the rule is the exact line, except for programs whose first
words describe what they do: `consent/harmless_flag_table.py`. A line with inline code gets no rule.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from unicodedata import normalize

from ...config.security.control_characters import CONTROL_CHARACTERS
from ...config.settings.permission_rules import RawRule
from ..consent.harmless_flags import find_command
from .call import RequestedCall
from .rule import find_allowing_rules, read_rule

# Most characters of a command; the user cannot review a longer rule at a glance
MAX_COMMAND_LENGTH = 200

_INTERPRETER = re.compile(
    r"(python|pypy|node|deno|bun|perl|ruby|php|lua|tclsh|Rscript|osascript|[bdkz]?a?sh|fish)[\d.]*"
    r"|npx|uvx|eval|source|\."
)
# Characters with a meaning in a pattern, or invisible in a list of rules
_NO_NAME = re.compile(rf"[*?\[\]{{}}!\\(){CONTROL_CHARACTERS}]|[^\S ]|^\s|\s$")


def suggest_rule(call: RequestedCall) -> str:
    """Return the rule's text; empty if no rule is sensible, or it would not allow the call."""
    text = _suggest_for_files(call) if call.paths else _suggest_for_other(call)
    texts = _suggest_for_command(call) if call.command else [text]
    return next((text for text in texts if _is_sensible(text, call)), "")


def _is_sensible(text: str, call: RequestedCall) -> bool:
    if not text or "${" in text:
        return False
    consent = tuple(origin.provenance for origin in call.origins)
    rule = read_rule(RawRule("allow", text, "", consent=consent))
    return bool(find_allowing_rules([rule], call))


def _suggest_for_command(call: RequestedCall) -> list[str]:
    """Suggest rules for a line in which a single command has an effect, the broadest first."""
    effective_subjects = [subject for subject in call.subjects if not subject.harmless]
    if (
        len(effective_subjects) != 1
        or len(call.command) > MAX_COMMAND_LENGTH
        or "\n" in call.command.strip()
    ):
        return []
    words = effective_subjects[0].names
    exact = [] if _is_inline_code(words) else [f"run_command({shlex.join(words)})"]
    first = find_command(words)
    return [f"run_command({shlex.join(first)}:*)", *exact] if first else exact


def _is_inline_code(words: Sequence[str]) -> bool:
    """Return whether an interpreter runs inline code: a script must be its first argument."""
    program, *arguments = words
    if not _INTERPRETER.fullmatch(PurePosixPath(program).name):
        return False
    return not arguments or arguments[0].startswith("-")


def _suggest_for_files(call: RequestedCall) -> str:
    """Suggest the one file, or the folder that contains all of them; only in this project."""
    root = str(call.workspace.root)
    if call.effect != "edit" or not all(map(_can_be_named, (root, *call.files))):
        return ""
    if len(set(call.files)) == 1:
        return f"edit(/{root}/{call.files[0]})" if call.files[0] != "." else ""
    folders = {str(PurePosixPath(name).parent) for name in call.files}
    folder = folders.pop() if len(folders) == 1 else "."
    return f"edit(/{root}/{folder}/**)" if folder != "." else ""


def _can_be_named(name: str) -> bool:
    """Return whether a pattern can name only this file, in one spelling that the user can read."""
    return not _NO_NAME.search(name) and normalize("NFC", name) == name


def _suggest_for_other(call: RequestedCall) -> str:
    """Suggest the host that the call reads from, or the tool of an MCP server."""
    if call.tool == "webfetch":
        return "".join(
            f"webfetch(domain:{host})" for subject in call.subjects for host in subject.names
        )
    if call.server:
        return f"{call.tool}({call.server})"
    return call.tool if call.tool.startswith("mcp_") else ""
