import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.security.secrets.private_keys import find_private_keys

MARK = "[secret: key]"
BEGIN, END = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
LONG = "MIIE" * 16
LINES = [BEGIN, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B", "", LONG, LONG, "abc=", END]
OPEN = LINES[:-1]


def _hide_keys(text: str) -> str:
    output, at = "", 0
    for start, end in find_private_keys(text):
        output, at = output + text[at:start] + MARK, end
    return output + text[at:]


@pytest.mark.parametrize("lines", [LINES, OPEN, LINES[:1] + LINES[4:], LINES[:1] + LINES[5:-1]])
@pytest.mark.parametrize(
    ("first", "other", "end"),
    [
        ("", "", ""),
        ("", "", "\r"),
        ("+", "+", ""),
        ("-", "-", ""),
        (" ", "+", ""),
        ("  key: ", "       ", ""),
        ('KEY="', "", ""),
        ('+key = "', '+    "', '\\n" +'),
        ("# ", "# ", ""),
        ("  // ", "  // ", ""),
        ("> > ", "> > ", ""),
        ("     9→", "    10→", ""),
        ("    12→key = '", "    13→", ""),
        ("certs/a.pem:9: ", "certs/a.pem:10: ", ""),
        ("9:", "10:", ""),
        ("9-+", "10-+", ""),
        ("web-1  | ", "web-1  | ", ""),
        ("2026-01-02T03:04:05Z [7] ", "2026-01-02T03:04:06Z [7] ", ""),
        ("\x1b[32m+", "\x1b[32m+\x1b[m\x1b[32m", "\x1b[m"),
    ],
)
def test_private_key_is_hidden_behind_any_line_prefix(
    lines: list[str], first: str, other: str, end: str
) -> None:
    leads = [first] + [other] * (len(lines) - 1)
    text = "".join(f"{lead}{line}{end}\n" for lead, line in zip(leads, lines, strict=True))
    after = f"{other}and this, too, is told\n"
    hide_keys = _hide_keys(f"before\n{text}{after}")
    assert hide_keys.startswith(f"before\n{first}{MARK}") and hide_keys.endswith(f"\n{after}")
    assert hide_keys.count("\n") == 3 and not re.search("MIIE|abc=|Proc|DEK|KEY---", hide_keys)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (f'x = "{BEGIN}"\ny = 1\n', f'x = "{MARK}"\ny = 1\n'),
        (f"{BEGIN} and then some words", f"{MARK} and then some words"),
        (f"{BEGIN} {LONG} abc= {END}; x", f"{MARK}; x"),
        (f"{BEGIN}{LONG}", MARK),
        (json.dumps("\n".join(LINES)), f'"{MARK}"'),
        (json.dumps(json.dumps("\n".join(OPEN[:1] + OPEN[4:]))), f'"\\"{MARK}\\""'),
        (json.dumps(f"{BEGIN}\n-{LONG}\n+abc=\n other words"), f'"{MARK}\\n other words"'),
        (f"{BEGIN}\n\n\n{LONG}\n\nabc", f"{MARK}\n\nabc"),
        (f"{BEGIN}\n\nUsage\n", f"{MARK}\n\nUsage\n"),
        (f"{BEGIN}\n{LONG}\n{BEGIN}\n{LONG}\n", f"{MARK}\n{MARK}\n"),
        (f"{BEGIN}\ncurl x | sh\n{END}", f"{MARK}\ncurl x | sh\n{END}"),
        (f"{BEGIN} $(curl x) {END}", f"{MARK} $(curl x) {END}"),
        (
            f"+++ b/k\n@@ -0,0 +1,2 @@\n+{BEGIN}\n+abc=\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n",
            f"+++ b/k\n@@ -0,0 +1,2 @@\n+{MARK}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n",
        ),
        (f"+{BEGIN}\n--- a/k\n+++ b/k\n+{END}\n", f"+{MARK}\n--- a/k\n+++ b/k\n+{END}\n"),
    ],
)
def test_what_only_follows_a_key_is_told(text: str, output: str) -> None:
    assert _hide_keys(text) == output


_body = st.text("abcXYZ019+/", max_size=70).map(lambda line: f"{line}Q")


@given(
    st.lists(_body, min_size=1), st.sampled_from(["", "+", "  ", "> "]), st.booleans(), st.text()
)
def test_only_lines_of_the_key_are_hidden(
    body: list[str], lead: str, closed: bool, after: str
) -> None:
    key = "".join(f"{lead}{line}\n" for line in [BEGIN, *body, *[END] * closed])
    hide_keys = _hide_keys(f"{key}{lead}no key.\n{after}")
    assert hide_keys == f"{lead}{MARK}\n{lead}no key.\n{_hide_keys(after)}"


@pytest.mark.parametrize(
    "part",
    [
        BEGIN, BEGIN + "\n", "-----BEGIN ", END, BEGIN + LONG, BEGIN + " a", "\n" + BEGIN + "\n\n",
        LONG + "\n", " ", "\\", "\\n", "\\\\n\n", "+", "/", "# ", "1:", "a:1:", "\x1b[m", "=", "'",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", [BEGIN, BEGIN + "\n", " " * 100 + BEGIN + "\n"])
def test_no_text_makes_it_take_long(before: str, part: str) -> None:
    text = before + part * (300_000 // len(part)) + "!"
    assert MARK in _hide_keys(text)  # the suite's time limit would end it
