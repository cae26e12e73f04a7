"""A conversation as a Markdown file: messages and answers in full, a line for each call."""

from collections.abc import Iterator, Sequence

from ....config.security.redaction import redact
from ....sdk.threads.transcript import TranscriptEntry
from ...i18n.catalogs import t
from ..sanitize import sanitize_line, sanitize_text
from ..tool_summary import format_call


def format_markdown(title: str, entries: Sequence[TranscriptEntry]) -> str:
    """Return the text of the file; secrets are redacted."""
    blocks = [f"# {sanitize_line(title)}"]
    author, calls = "", list[str]()
    for entry in entries:
        if entry.kind in ("call", "question"):
            call = format_call(entry.tool, entry.args).replace("`", "'")
            calls.append(f"- `{call}`")
            continue
        blocks += _close_list(calls)
        for heading, text in _format_entry(entry):
            if heading != author:
                blocks.append(f"## {heading}")
            author = heading
            blocks.append(sanitize_text(text).strip())
    blocks += _close_list(calls)
    return redact("\n\n".join(block for block in blocks if block) + "\n")


def _close_list(calls: list[str]) -> list[str]:
    """Return the lines of calls so far as one block, and begin anew."""
    block = ["\n".join(calls)] if calls else []
    calls.clear()
    return block


def _format_entry(entry: TranscriptEntry) -> Iterator[tuple[str, str]]:
    match entry.kind:
        case "human":
            yield t("steps.you"), entry.text
        case "answer":
            yield entry.role, entry.text
        case "interrupted" if entry.text:
            yield entry.role, f"{entry.text}\n\n*{t('show.interrupted')}*"
        case "interrupted":
            yield entry.role or "mcode", f"*{t('show.unanswered')}*"
        case _:
            return
