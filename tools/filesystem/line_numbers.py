"""Numbered lines, as every tool shows them: `    12→text`."""

from collections.abc import Sequence

from .text_codec import to_printable

# characters of a line that are shown
MAX_LINE_LENGTH = 2_000


def format_lines(lines: Sequence[str], first: int) -> str:
    """Number the lines from `first`; cut long ones and say by how much."""
    return "\n".join(
        f"{number:>6}→{_format_line(line)}" for number, line in enumerate(lines, first)
    )


def _format_line(line: str) -> str:
    cut = len(line) - MAX_LINE_LENGTH
    return to_printable(
        line if cut <= 0 else f"{line[:MAX_LINE_LENGTH]}… [{cut:,} more characters]"
    )
