"""Steps of a turn that follow each other: in full while they are few, else folded to some rows.

What a later step has replaced is folded: a test that failed and passes now, the diff of a file
that is edited again. What still fails is shown.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from rich.text import Text

from ...i18n.catalogs import t
from ..block_printer import BULLET, EDGE, SPEECH, BlockPrinter
from ..console import style_text
from ..diffs.output import render_diff
from ..diffs.parser import parse_diff
from ..line_breaks import TAB, wrap_text
from ..sanitize import escape_hidden, sanitize_line
from ..text_width import measure_width
from .folds import Fold, KeepFold, add_key_hint
from .phrases import CallPhrase
from .reading_group import ReadingGroup, join_counts

# Effects that are shown in full in one turn, whatever their rows; and rows of more of them
FULL_EFFECTS = 4
FULL_ROWS = 24
# Effects of one group
MAX_EFFECTS = 80
# Rows that show the group while it grows
LIVE_ROWS = 12
# Fewer rows of a block above others are not worth a place
MIN_BLOCK = 4
# Files, and commands that have failed, that a folded group names
NAMED_FILES = 6
NAMED_COMMANDS = 3
# Cells that a command keeps beside what became of it
MIN_COMMAND = 16


@dataclass
class Step:
    """A call that changes or runs, or a note between calls, as its rows."""

    rows: Sequence[Text]
    kind: str = ""
    phrase: CallPhrase | None = None
    """None: a note, which a folded group leaves out."""
    ok: bool = True
    outcome: str = ""
    """What a command has come to, in a few words."""
    seconds: float = 0.0
    diff: str = ""
    output: Sequence[str] = ()
    """All lines that can be opened."""


@dataclass
class StepGroup:
    """The steps since the last text, question or other block, in their order."""

    items: list[ReadingGroup | Step | str] = field(default_factory=list[ReadingGroup | Step | str])
    """A text is a remark of the model, before a step."""

    @property
    def reading(self) -> ReadingGroup:
        """The calls that read, after the last other step."""
        if not self.items or not isinstance(self.items[-1], ReadingGroup):
            self.items.append(ReadingGroup())
        last = self.items[-1]
        assert isinstance(last, ReadingGroup)
        return last

    @property
    def effects(self) -> list[tuple[CallPhrase, Step]]:
        """The calls that change or run."""
        steps = [item for item in self.items if isinstance(item, Step)]
        return [(step.phrase, step) for step in steps if step.phrase]

    def count_rows(self, width: int) -> int:
        """Count the rows of the group in full."""
        return sum(
            len(item.rows) + 1
            if isinstance(item, Step)
            else 2 + measure_width(item) // max(width, 1)
            if isinstance(item, str)
            else 2
            for item in self.items
        )

    def list_live_rows(self, width: int, limit: int = LIVE_ROWS) -> list[Text]:
        """Return the last blocks, below a row that counts all if there are more."""
        blocks = [rows for item in self.items if (rows := _list_rows(item, width))]
        last_rows: list[Text] = []
        for number, block in enumerate(reversed(blocks), start=1):
            room = limit - len(last_rows) - bool(last_rows)
            if len(block) > room and last_rows and room < MIN_BLOCK:
                break
            last_rows = [*block[:room], *([Text()] if last_rows else []), *last_rows]
            if number == len(blocks):
                return _fit_rows(last_rows, width)
        if not last_rows:
            return []
        counts = style_text(BULLET + self.format_counts(), "dim")
        return _fit_rows([counts, Text(), *last_rows], width)

    def format_counts(self) -> str:
        """Return how many calls of each kind there were."""
        effects = [phrase for phrase, _ in self.effects]
        runs = [phrase for phrase in effects if phrase.verb in ("run", "use")]
        changes = [phrase for phrase in dict.fromkeys(effects) if phrase not in runs]
        reads = [item.list_phrases() for item in self.items if isinstance(item, ReadingGroup)]
        looks = dict.fromkeys(phrase for phrases in reads for phrase in phrases)
        return join_counts(Counter(phrase.verb for phrase in [*changes, *runs, *looks]))

    def print_folded(
        self, printer: BlockPrinter, keep_fold: KeepFold | None, duration: str, *, is_over: bool
    ) -> None:
        """Print the counts, the files and what became of failed commands.

        When the group `is_over`, a command that still fails is shown with its output.
        """
        counts = self.format_counts()
        head = add_key_hint(counts, keep_fold)
        if keep_fold:
            keep_fold(Fold("calls", partial(_render_steps, counts, tuple(self.items))))
        columns = len(BULLET) + measure_width(f"{head} {duration}")
        if columns > printer.width:
            printer.print_line(head, "")
        else:
            printer.print_head(style_text(head, ""), duration, bullet="green")
        if files := self._format_files():
            for row in list(wrap_text(files, printer.width))[:2]:
                printer.print_row(row)
        commands = self._list_commands()
        failing = [runs[-1] for runs in commands.values() if is_over and not runs[-1].ok]
        for row in _format_commands(commands, printer.width, below=failing[-1:]):
            printer.print_row(row)
        if failing:
            printer.print_block(failing[-1].rows)

    def _format_files(self) -> Text:
        """Return the changed files with the counts of their lines."""
        counts: dict[str, tuple[int, int]] = {}
        for _, step in self.effects:
            for file in parse_diff(step.diff) if step.diff else ():
                added, removed = counts.get(file.path, (0, 0))
                counts[file.path] = added + file.added, removed + file.removed
        parts = [
            Text.assemble(
                sanitize_line(path), " ", (f"+{added}", "green"), " ", (f"−{removed}", "red")
            )
            for path, (added, removed) in counts.items()
        ]
        if more := len(parts[NAMED_FILES:]):
            parts[NAMED_FILES:] = [Text(t("steps.more_files", count=more), "dim")]
        return Text(" · ", "dim").join(parts)

    def _list_commands(self) -> Mapping[str, list[Step]]:
        """Return the runs of each command that has failed."""
        runs: dict[str, list[Step]] = {}
        for phrase, step in self.effects:
            if phrase.verb in ("run", "use"):
                runs.setdefault(phrase.subject, []).append(step)
        return {name: steps for name, steps in runs.items() if not all(s.ok for s in steps)}


def _format_commands(
    commands: Mapping[str, list[Step]], width: int, *, below: Sequence[Step]
) -> list[Text]:
    """Return a row for each, those that fail still before those that pass now.

    The step that is shown `below` comes first, if it failed before, and else has no row.
    """
    items = [item for item in commands.items() if len(item[1]) > 1 or item[1][-1] not in below]
    ordered = sorted(items, key=lambda item: (item[1][-1] not in below, item[1][-1].ok))
    limit = NAMED_COMMANDS - len(below)
    rows = [_format_command(name, steps, width) for name, steps in ordered[:limit]]
    if more := len(ordered[limit:]):
        rows.append(Text(t("steps.more_commands", count=more), "dim"))
    return rows


def _format_command(name: str, steps: Sequence[Step], width: int) -> Text:
    failures = sum(not step.ok for step in steps)
    key, mark, style = ("failed", "✗ ", "red")
    if steps[-1].ok:
        key, mark, style = ("passed", "✓ ", "green")
    facts = " · ".join(filter(None, [t(f"steps.{key}", count=failures), steps[-1].outcome]))
    room = max(width - measure_width(f"{mark}  {facts}"), MIN_COMMAND)
    command = style_text(sanitize_line(escape_hidden(name)), "")
    command.truncate(room, overflow="ellipsis")
    return Text.assemble((mark, style), command, (f"  {facts}", "dim"))


def _fit_rows(rows: Sequence[Text], width: int) -> list[Text]:
    for row in rows:
        row.truncate(width, overflow="ellipsis")
    return list(rows)


def _list_rows(item: ReadingGroup | Step | str, width: int) -> list[Text]:
    """Return an item as rows of the moment."""
    if isinstance(item, Step):
        return [row.copy() for row in item.rows]
    if isinstance(item, str):
        return [style_text(f"{SPEECH.plain}{item}", "dim")]
    rows = [Text(f"{BULLET}{item.format_row(width)}", "dim")] if item else []
    return [*rows, *([style_text(f"{EDGE}{item.remark}", "dim")] if item.remark else [])]


def _render_steps(title: str, items: Sequence[ReadingGroup | Step | str], width: int) -> Text:
    """Return every step with all of its output and its diff."""
    rows = [style_text(title, "bold")]
    for item in items:
        if isinstance(item, str):
            rows.append(style_text(f"{EDGE}{item}", "dim italic"))
        elif isinstance(item, ReadingGroup):
            rows += [style_text(f"{EDGE}{line}", "dim") for line in item.list_calls()]
        else:
            rows += [item.rows[0]] if item.rows else []
            rows += [style_text(f"{EDGE}{line.expandtabs(TAB)}", "dim") for line in item.output]
            if item.diff:
                rows += [Text.assemble(EDGE, row) for row in render_diff(item.diff, width - 2)]
    return Text("\n").join(rows)
