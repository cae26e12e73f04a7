"""A word that is a here-document, as models write the messages of commits."""

from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.command_line import CommandLine
from maxagent.tools.shell.parsing.shell_state import ShellState

HOME = ShellState(Path("/p"), Path("/p"))


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("\"$(cat <<'EOF'\nFix it\nEOF\n)\"", "Fix it"),
        ('"$(cat <<EOF\nFix it\n\n- a (b)\nEOF\n)"', "Fix it\n\n- a (b)"),
        ('"$(cat <<"END"\n$HOME `id`\nEND\n)"', "$HOME `id`"),
        ('"$(cat <<\'EOF\'\nSay "x" it\'s\n\n\nEOF\n)"', 'Say "x" it\'s'),
        ("\"$(cat <<'EOF'\nEOF\n)\"", ""),
        ("\"$(cat <<'M_1'\nEOF\nM_1\n  )\"", "EOF"),
    ],
)
def test_document_is_a_literal_word(word: str, text: str) -> None:
    line = CommandLine(f"git commit -m {word}", HOME)
    assert [(step.written, step.literal) for step in line.steps] == [
        (("git", "commit", "-m", text), True)
    ]
    assert line.plain and not line.doubt


@pytest.mark.parametrize(
    "word",
    [
        '"$(cat <<EOF\nFix `id`\nEOF\n)"',
        '"$(cat <<EOF\n$(id)\nEOF\n)"',
        '"$(cat <<EOF\n$HOME\nEOF\n)"',
        '"$(cat <<EOF\na\\\nEOF\n)"',
        "\"$(cat <<'EOF'\nFix\nEOF\nid)\"",
        "\"$(cat <<'EOF'\nFix\nEOF\n; id)\"",
        "\"$(cat <<'EOF'\nFix\nEOF\n)$(id)\"",
        "\"$(cat a <<'EOF'\nFix\nEOF\n)\"",
        "\"$(cat <<'EOF' a\nFix\nEOF\n)\"",
        "\"$(sh <<'EOF'\nid\nEOF\n)\"",
        "\"$(cat <<'EOF' | sh\nid\nEOF\n)\"",
        "\"$(cat <<'EOF' > x\nid\nEOF\n)\"",
        "\"$(cat <<'EOF'\nFix\n EOF\nid\nEOF\n)\"",
        "\"$(cat <<'EOF'\nFix\n\tEOF\nid\nEOF\n)\"",
        "$(cat <<'EOF'\na b\nEOF\n)",
        "\"x $(cat <<'EOF'\nFix\nEOF\n)\"",
    ],
)
def test_anything_else_is_known_only_at_run_time(word: str) -> None:
    line = CommandLine(f"git commit -m {word}", HOME)
    assert not line.plain or line.doubt


@pytest.mark.parametrize("target", ["/", "~", "/etc", "../other"])
def test_document_that_names_a_path_is_that_path(target: str) -> None:
    line = CommandLine(f"rm -rf \"$(cat <<'EOF'\n{target}\nEOF\n)\"", HOME)
    assert line.steps[0].words[-1].text == target
