"""Texts in bytes. The forms of a hidden secret are in `test_object_scan.py`."""

import random

import pytest

from maxagent.config.security.secrets.detection import SecretMatch, find_secrets
from maxagent.tools.git.content_secrets import decode_wide, find_content_secrets

TOKEN = "ghp_" + "aB3d" * 9


def test_line_and_kind_are_found_in_a_text() -> None:
    content = f"one\ntoken = {TOKEN}\n\n{TOKEN[:20]}\n{TOKEN[20:]}\n".encode()
    assert find_content_secrets(content)[0] == (2, "GitHub token")


HARMLESS = {
    "prose": b"A word ends here and\nanother line goes on: it is no-\nthing at all.\n" * 50,
    "words that could be joined": b"import ghp_\nfrom tools\nsk-\nlearn is a library for all\n",
    "locales": b"\0".join(b"sk-SK sl-SI sr-RS".split()) * 20,
    "random": random.Random(1).randbytes(300_000),
    "random base64": __import__("base64").encodebytes(random.Random(2).randbytes(100_000)),
    "hashes": b"\n".join(random.Random(n).randbytes(32).hex().encode() for n in range(500)),
    "arguments": b"connect(\n    password=None,\n    use_tls2=True,\n    allow_credentials=True,\n"
    b"    secret=secret,\n    allow_methods1=x,\n    token=token,\n    retries_9=3,\n)\n",
    "nothing": b"",
    "a nul": b"\0",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_content_has_no_secret(name: str) -> None:
    assert find_content_secrets(HARMLESS[name]) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_wide_text_is_decoded(encoding: str) -> None:
    assert decode_wide("one two three\n".encode(encoding)) == "one two three\n"


@pytest.mark.parametrize("content", [b"one", b"\x7fELF\0\1\2\3" * 9, b"\xff\xfe\0\xd8", b"\0\0"])
def test_other_content_is_no_wide_text(content: bytes) -> None:
    assert decode_wide(content) is None


def test_token_anywhere_in_a_chain_is_found() -> None:
    indexes = [f"longword{number}" for number in range(400)]
    for at in (0, 1, 2, 55, 199, 333, 400):
        lines = [*indexes[:at], TOKEN[:20], TOKEN[20:], *indexes[at:], "end."]
        assert find_content_secrets("\n".join(lines).encode()) == [(at + 1, "GitHub token")]


REPEATED = {
    "names": "password=\n",
    "words": "word\n",
    "long words": "longword\n",
    "base64": "QUJD" * 19 + "\n",
    "identifiers": "some_name_here\n",
}


@pytest.mark.parametrize("line", REPEATED.values(), ids=REPEATED)
def test_joined_words_are_not_many_times_the_content(
    monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    read = list[int]()

    def count(text: str) -> list[SecretMatch]:
        read.append(len(text))
        return find_secrets(text)

    monkeypatch.setattr("maxagent.tools.git.content_secrets.find_secrets", count)
    lines = [f"{number}{line}" for number in range(2_000)]  # none is like another one
    content = "".join(lines).encode()
    find_content_secrets(content)
    assert sum(read) < 6 * len(content)
