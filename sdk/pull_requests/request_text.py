"""Texts of a pull request: the branch's name, the commit's message, the title and the body."""

import re
from collections.abc import Mapping, Sequence

from ...config.security.control_characters import CONTROL_CHARACTERS
from ...config.security.redaction import redact
from ...memory.threads.record import ThreadRow
from ...tools.git.branch_commit import BRANCHES
from ..events import Completion

MAX_TITLE = 72
MAX_SLUG = 40
MAX_SUMMARY = 8_000
MAX_FILES = 200
_CONTROLS = re.compile(rf"(?:\x1b\[[0-?]*[ -/]*[@-~])|[{CONTROL_CHARACTERS}]")


def build_branch(row: ThreadRow) -> str:
    """Return the branch's name: `mcode/SLUG-ID`."""
    words = re.sub(r"[^a-z0-9]+", "-", _clean_line(row.title).lower()).strip("-")
    slug = words[:MAX_SLUG].rpartition("-")[0] if len(words) > MAX_SLUG else words
    return f"{BRANCHES}{slug or words[:MAX_SLUG] or 'thread'}-{row.thread_id[:8]}"


def build_request_title(row: ThreadRow) -> str:
    """Return the request's title, which is the commit's subject, too."""
    title = _clean_line(row.title) or "Changes"
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"


def build_message(title: str, completion: Completion) -> str:
    """Return the commit's message; no trailer is added."""
    summary = _remove_controls(redact(completion.summary.strip()))[:MAX_SUMMARY]
    return f"{title}\n\n{summary}\n" if summary else f"{title}\n"


def build_body(row: ThreadRow, completion: Completion, files: Sequence[Mapping[str, str]]) -> str:
    """Return the request's text: summary, evidence, files and thread, without secrets."""
    parts = list[str]()
    if summary := completion.summary.strip()[:MAX_SUMMARY]:
        parts.append(f"## Summary\n\n{summary}")
    parts.append(f"## Tests\n\n{_describe_evidence(completion)}")
    file_lines = [f"- `{file['path']}` ({file['kind']})" for file in files[:MAX_FILES]]
    if len(files) > MAX_FILES:
        file_lines.append(f"- and {len(files) - MAX_FILES} more")
    parts.append("## Files\n\n" + "\n".join(file_lines))
    parts.append(f"Made with MaxAgent, thread `{row.thread_id}`.")
    return redact(_remove_controls("\n\n".join(parts)))


def _describe_evidence(completion: Completion) -> str:
    evidence = completion.evidence
    if not evidence or completion.outcome != "verified":
        return "Not verified by tests."
    counts = [
        f"{evidence[name]} {name}"
        for name in ("passed", "failed", "errors", "skipped")
        if evidence.get(name) is not None
    ]
    summary = ", ".join(counts) or "exit code 0"
    return f"`{evidence['command']}`: {summary}."


def _clean_line(line: str) -> str:
    return _remove_controls(" ".join(redact(line).split()))


def _remove_controls(words: str) -> str:
    """Return foreign text that controls no terminal: others read it with `git log`."""
    return _CONTROLS.sub("", words)
