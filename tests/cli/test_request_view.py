import pytest

from maxagent.cli.request_view import show_request
from maxagent.cli.screen import open_console


@pytest.mark.parametrize(
    ("command", "fits"),
    [
        ("x", True),
        ("x" * 40 * 12, True),
        ("x" * 40 * 15, False),
        ("字" * 20 * 12, True),
        ("字" * 20 * 15, False),
        ("\u200b" * 100, False),
        ("\n" * 20, False),
    ],
)
def test_it_knows_whether_all_of_it_is_on_the_screen(monkeypatch, command, fits):
    monkeypatch.setenv("LINES", "22")
    monkeypatch.setenv("COLUMNS", "40")
    request = {"name": "run_command", "args": {"command": command}, "description": "why"}
    assert show_request(open_console(), request) is fits
