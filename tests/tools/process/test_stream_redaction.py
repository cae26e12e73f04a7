import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_forms import SecretForm, list_forms

from maxagent.tools.process import stream_redaction
from maxagent.tools.process.stream_redaction import MAX_LINE_BYTES, RedactingSink

TOKEN = b"ghp_" + b"a1B2" * 9
KEY = b"-----BEGIN PRIVATE " + b"KEY-----\nMIIE\nabc=\n-----END PRIVATE KEY-----"


def taken(*content: bytes) -> list[bytes]:
    chunks: list[bytes] = []
    output = RedactingSink(chunks.append)
    for piece in content:
        output.add(piece)
    output.close()
    return chunks


def test_whole_lines_are_handed_on_as_they_come() -> None:
    assert taken(b"one\ntw", b"o\n", b"three") == [b"one\n", b"two\n", b"three"]


def test_bytes_that_are_no_text_stay_unchanged() -> None:
    data = bytes(range(256)) * 4
    assert b"".join(taken(data)) == data


@given(st.lists(st.integers(1, 30)), st.sampled_from([TOKEN, KEY]))
def test_a_secret_is_found_however_it_is_split(sizes: list[int], secret: bytes) -> None:
    content, parts = b"before\n" + secret + b" after\n", list[bytes]()
    for size in sizes:
        parts.append(content[:size])
        content = content[size:]
    text = b"".join(taken(*parts, content))
    assert text.startswith(b"before\n[secret: ") and text.endswith(b"] after\n")
    assert secret not in text and b"MIIE" not in text


@pytest.mark.parametrize("end", ["\n", "\r\n", "&#13;\n", "<br>\n", "^M\n", " |\n| "])
@pytest.mark.parametrize("blank", [" ", "+", "%20"])
def test_key_with_any_line_end_waits_for_its_end(end: str, blank: str) -> None:
    lines = [KEY.split(b"\n")[0].decode(), "MIIE", "abc=", KEY.split(b"\n")[-1].decode()]
    lines = [line.replace(" ", blank) for line in lines]
    text = b"".join(taken(*[(line + end).encode() for line in lines]))
    assert b"MIIE" not in text and b"abc=" not in text and b"[secret: " in text


@pytest.mark.parametrize("before", [0, 100, MAX_LINE_BYTES - 20, MAX_LINE_BYTES])
def test_line_without_end_does_not_wait_forever(before: int) -> None:
    parts = [b"-" * before, *[bytes([byte]) for byte in TOKEN], b"-" * MAX_LINE_BYTES]
    message = taken(*parts)
    assert b"[secret: GitHub token]" in b"".join(message)
    assert b"".join(message).count(b"-") == before + MAX_LINE_BYTES
    assert len(message) > 1


def test_secret_at_end_of_huge_output_is_redacted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream_redaction, "ON_DISK", 1_000_000)
    line = b"x" * 999 + b"\n"
    message = taken(*[line * 100] * 30, b"the end: " + TOKEN + b"\n")
    text = b"".join(message)
    assert text.endswith(b"the end: [secret: GitHub token]\n")
    assert text.count(b"\n") == 3001


def test_private_key_without_end_hides_only_nearby_text() -> None:
    lines = [b"-----BEGIN PRIVATE KEY-----\n", *[b"x" * 63 + b"\n"] * 1000, b"the end\n"]
    text = b"".join(taken(*lines))
    assert text.startswith(b"[secret: private key]") and text.endswith(b"the end\n")


@pytest.mark.parametrize(
    "form", [form for form in list_forms() if "\n" in form.text], ids=lambda form: form.name
)
def test_secret_of_several_lines_is_found_in_pieces(form: SecretForm) -> None:
    text = b"".join(taken(*[bytes([byte]) for byte in form.text.encode()])).decode()
    lines = [line for line in form.secret.splitlines() if "-----" not in line]
    assert "[secret: " in text and not [line for line in lines if line in text]
