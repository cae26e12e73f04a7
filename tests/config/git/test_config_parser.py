from pathlib import Path

import pytest

from maxagent.config.git.config_parser import parse_config


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('[Remote "My.Origin"] URL = a # x', [("remote", "My.Origin", "url", "a")]),
        ("[remote.Sub]\nurl=b", [("remote", "sub", "url", "b")]),
        ('[a "q\\"uote"]\nk = "x ; y" ; z', [("a", 'q"uote', "k", "x ; y")]),
        ("[a]\nk = one \\\n two", [("a", "", "k", "one  two")]),
        ("[a][b]k=v", [("b", "", "k", "v")]),
        ("[a]\nk\n; c\nj = 1", [("a", "", "j", "1")]),
    ],
)
def test_a_value_is_read_as_git_reads_it(
    written: str, expected: list[tuple[str, str, str, str]]
) -> None:
    entries = parse_config(written, Path("config"))
    result = [(entry.section, entry.subsection, entry.key, entry.value) for entry in entries]
    assert result == expected
