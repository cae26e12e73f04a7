import pytest

from maxagent.tools.git.diff_secrets import find_secrets, parse_diff_path

SECRET = "ghp_" + "aB3d" * 9
KEY = [
    "-----BEGIN PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    "-----END PRIVATE KEY-----",
]


def diff(*lines: str, path: str = "a.txt", at: int = 1) -> str:
    added = "".join(f"+{line}\n" for line in lines)
    return f"--- a/{path}\n+++ b/{path}\n@@ -0,0 +{at},{len(lines)} @@\n{added}"


def test_secret_is_found_by_file_and_line() -> None:
    text = diff("fine", f"token = {SECRET}", at=7) + diff(SECRET, path="b/c.txt")
    found = find_secrets(text)
    assert [(one.path, one.line, one.kind) for one in found] == [
        ("a.txt", 8, "GitHub token"),
        ("b/c.txt", 1, "GitHub token"),
    ]
    assert SECRET not in repr(found)


def test_private_key_is_found_at_its_beginning() -> None:
    [found] = find_secrets(diff("x", *KEY))[:1]
    assert (found.path, found.kind) == ("a.txt", "private key")


@pytest.mark.parametrize("sign", ["-", " "])
def test_lines_that_are_not_added_do_not_count(sign: str) -> None:
    assert find_secrets(f"+++ b/a.txt\n@@ -1,1 +1,1 @@\n{sign}{SECRET}\n") == []


def test_added_line_that_looks_like_a_header_counts() -> None:
    found = find_secrets(f"+++ b/a.txt\n@@ -0,0 +1,2 @@\n+++ b/other\n+{SECRET}\n")
    assert [(one.path, one.line) for one in found] == [("a.txt", 2)]


@pytest.mark.parametrize(
    ("shown", "path"),
    [("b/a.txt", "a.txt"), ("b/a b.txt\t", "a b.txt"), ('"b/\\303\\244\\".txt"', 'ä".txt'),
     ("/dev/null", "/dev/null")],
)  # fmt: skip
def test_path_in_a_header(shown: str, path: str) -> None:
    assert parse_diff_path(shown) == path
