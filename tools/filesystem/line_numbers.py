"""Lines as every tool shows them: `    12→text`."""

from collections.abc import Sequence

from .text_codec import printable

LONGEST_LINE = 2_000
"""Characters of a line that are shown."""


def numbered(lines: Sequence[str], first: int) -> str:
    """The lines with their numbers, from `first` on; a long one is cut and says by how much."""
    return "\n".join(f"{number:>6}→{_shown(line)}" for number, line in enumerate(lines, first))


def _shown(line: str) -> str:
    cut = len(line) - LONGEST_LINE
    return printable(line if cut <= 0 else f"{line[:LONGEST_LINE]}… [{cut:,} more characters]")
