import pytest

from maxagent.tools.git.diff_paths import parse_diff_path


@pytest.mark.parametrize(
    ("text", "path"),
    [("b/a.txt", "a.txt"), ("b/a b.txt\t", "a b.txt"), ('"b/\\303\\244\\".txt"', 'ä".txt'),
     ("/dev/null", "/dev/null")],
)  # fmt: skip
def test_path_in_a_header(text: str, path: str) -> None:
    assert parse_diff_path(text) == path
