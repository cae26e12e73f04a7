"""Everything that the command line writes goes through a door that makes it safe."""

import ast
import io
import sys
from pathlib import Path
from typing import cast

import pytest

from maxagent.cli.rendering.output import echo, echo_wrapped

CLI = Path(__file__).parents[3] / "cli"
DOORS = {"rendering/output.py", "rendering/console.py"}
"""The doors themselves; `table.py` makes safe what it hands to a library."""
PRINTED = {
    "rendering/table.py": ["table"],
    "rendering/console.py": [
        "Text('─' * console.width, style)",
        "row",
        "row",
        "row",
        "Text.assemble(sign, row)",
        "row",
        "content",
        "row",
    ],
    "rendering/approval_request.py": [
        "Text.assemble((head, 'dim'), row)",
        "Text.assemble(MARGIN, row) if row else row",
    ],
    "prompts/first_run.py": ["row"],
    "rendering/block_printer.py": ["row"],
    "rendering/blocks/renderer.py": [
        "build_user_message(event.title, self._console.width)",
        "Text.assemble(EDGE, row) if row else row",
        "build_user_message(text, self._console.width)",
    ],
    "rendering/diffs/output.py": ["Text.assemble(indent, row) if row else row"],
    "rendering/markdown/live.py": ["add_links(row, Path.cwd())"],
    "prompts/credential_input.py": ["row"],
    "prompts/text_input.py": ["last", "row"],
    "rendering/thinking_view.py": ["Text(t('thinking.now'), style=LABEL_STYLE)"],
}
"""What else is printed in colour: made safe where it is made."""
WRITERS = {
    "typer.echo": DOORS,
    "typer.secho": DOORS,
    "typer.prompt": DOORS,
    "typer.confirm": DOORS,
    "print": DOORS,
    "Console": {*DOORS, "rendering/table.py", "prompts/pager.py"},
    "sys.stdout.write": {*DOORS, "commands/diff.py", "web/command.py"},
    "sys.stdout.buffer.write": {"commands/threads/transfer.py"},
    "sys.stderr.write": DOORS,
}


def calls_in(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: path.name)
def test_nothing_is_written_but_through_echo_and_styled(path: Path) -> None:
    calls, posix = calls_in(path), path.relative_to(CLI).as_posix()
    written = {ast.unparse(call.func) for call in calls}
    assert {name for name in written if posix not in WRITERS.get(name, {posix})} == set()
    printed = [
        ast.unparse(call.args[0])
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "print" and call.args
    ]
    unstyled = [text for text in printed if not text.startswith("style_text(")]
    assert unstyled == PRINTED.get(posix, [])


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_read_gets_rows_on_stdout_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    for stream, output in (
        (Tty(), "one two three four\nfive\n"),
        (io.StringIO(), "one two three four five\n"),
    ):
        monkeypatch.setattr("sys.stdout", stream)
        echo_wrapped("one two three four five")
        assert stream.getvalue() == output


def test_only_on_stderr_a_terminal_gets_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}", Tty())
        echo("hint: one two three four five", err=stream == "stderr")
    assert cast(Tty, sys.stdout).getvalue() == "hint: one two three four five\n"
    assert cast(Tty, sys.stderr).getvalue() == "hint: one two three\nfour five\n"
