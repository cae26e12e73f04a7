"""Lines as every tool shows them: `    12→text`."""

from collections.abc import Sequence

from .text_codec import to_printable

LONGEST_LINE = 2_000
"""Characters of a line that are shown."""


def format_lines(lines: Sequence[str], first: int) -> str:
    """The lines with their numbers, from `first` on; a long one is cut and says by how much."""
    return "\n".join(
        f"{number:>6}→{_format_line(line)}" for number, line in enumerate(lines, first)
    )


def _format_line(line: str) -> str:
    cut = len(line) - LONGEST_LINE
    return to_printable(line if cut <= 0 else f"{line[:LONGEST_LINE]}… [{cut:,} more characters]")
