"""Whatever a file holds, an edit changes what it names and not one byte beside it."""

import codecs
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.filesystem.text_codec import DecodedText, decode_text
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "gbk": b"",
    "gb18030": b"",
    "cp1252": b"",
}
CHINESE = "第一行\r\n配置文件\r\n"
FRENCH = "le café où l'on dînait très bien\r\nété à la fenêtre, près de l'hôtel\r\n"
WORDS = ["", "x = 1", "\tif x:", "    return", "}", "a\x0cb", "a\rb", "  ", "café", "配置文件"]
ENDINGS = st.sampled_from(["\n", "\r\n", "\n", "\r\n", "\r"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Text in any encoding, with equal, mixed or old endings and perhaps no last one; or bytes."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=40))
    encoding = draw(st.sampled_from(list(ENCODINGS)))
    lines = draw(st.lists(st.sampled_from(WORDS), max_size=8))
    usual = draw(ENDINGS)
    each = [draw(ENDINGS) if draw(st.integers(0, 3)) == 0 else usual for _ in lines]
    text = "".join(map("".join, zip(lines, each, strict=True))) + draw(st.sampled_from(["", "end"]))
    stray = draw(st.sampled_from([b"", b"", b"\xff\n"])) if encoding == "utf-8" else b""
    return ENCODINGS[encoding] + text.encode(encoding, "ignore") + stray


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    return ToolRun(Workspace(tmp_path), "c", tmp_path / "outputs")


def raw_places(decoded: DecodedText) -> list[int]:
    """For every place in the text, where in the file's bytes it is."""
    text, ends = decoded.text, iter(decoded.endings.each)
    count, places = len(decoded.bom), list[int]()
    for letter in text:
        places.append(count)
        usual = decoded.endings.usual
        raw = (next(ends) if decoded.endings.each else usual) if letter == "\n" else letter
        count += len(raw.encode(decoded.encoding, "surrogateescape"))
    return [*places, count]


async def changed(run: ToolRun, old: str, new: str) -> CallResult:
    data = (run.workspace.root / "file").read_bytes()
    text = replace(run, seen={"file": hash_content(data)})
    return await invoke(edit, {"file_path": "file", "old_string": old, "new_string": new}, text)


def begins_in_indentation(text: str, start: int) -> bool:
    """Such a text is fitted to the line's depth, not put there as it is."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before != "" and not before.strip()


def places_within_words(text: str, old: str) -> list[int]:
    """The places of a text that end or begin in the middle of a word."""
    places = [at for at in range(len(text)) if old and text.startswith(old, at)]
    edges = ((at, at + len(old)) for at in places)
    return [
        at
        for at, end in edges
        if any(text[max(e - 1, 0) : e + 1].isalnum() and 0 < e < len(text) for e in (at, end))
    ]


@given(files(), st.data())
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_edit_keeps_every_byte_outside_its_target(
    run: ToolRun, data: bytes, choose: st.DataObject
) -> None:
    path = run.workspace.root / "file"
    path.write_bytes(data)
    try:
        decoded = decode_text(data)
    except ToolError:
        assert (await changed(run, "x", "y")).error and path.read_bytes() == data
        return
    text = decoded.text
    start = choose.draw(st.integers(0, len(text)))
    end = choose.draw(st.integers(start, min(start + 25, len(text))))
    old, new = text[start:end], choose.draw(st.text("xé汉 \n", max_size=8))
    assume(not begins_in_indentation(text, start))
    # of two lines that become one, with different endings, the first one's stays
    assume(not (decoded.endings.each and "\n" in old))
    assume("\r\n" not in old)  # read as one line ending, not as a CR that ends a line's text
    result = await changed(run, old, new)
    after = path.read_bytes()
    if not result.ok:
        assert after == data and not result.seen
        return
    # of several places the one that is a whole word is meant
    assume(text.count(old) == 1 or start not in places_within_words(text, old))
    assert old != new
    if text.count(old) > 1:  # one of them alone is a whole word
        assert len(places_within_words(text, old)) == text.count(old) - 1
    places = raw_places(decoded)
    head, tail = data[: places[start]], data[places[end] :]
    assert after.startswith(head) and after.endswith(tail)
    middle = after[len(head) : len(after) - len(tail)].decode(decoded.encoding, "surrogateescape")
    assert middle.replace("\r\n", "\n").replace("\r", "\n") == new.replace("\r", "\n")
    assert result.seen == {"file": hash_content(after)}


@given(files(), st.data())
@example(b"a\r\nb\r\n", None)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
async def test_the_opposite_edit_gives_back_the_first_bytes(
    run: ToolRun, data: bytes, choose: st.DataObject | None
) -> None:
    path = run.workspace.root / "file"
    path.write_bytes(data)
    try:
        decoded = decode_text(data)
    except ToolError:
        return
    assume(not decoded.endings.each)  # which ending a removed line had, its text does not say
    text = decoded.text
    assume("\r" not in text)  # nor whether a stray one stood before an ending
    start = choose.draw(st.integers(0, len(text))) if choose else 2
    end = choose.draw(st.integers(start, min(start + 25, len(text)))) if choose else 3
    assume(not begins_in_indentation(text, start))
    assume((await changed(run, text[start:end], "<new>\n<text>")).ok)
    again = decode_text(path.read_bytes())
    assume((again.encoding, again.endings) == (decoded.encoding, decoded.endings))
    back = await changed(run, "<new>\n<text>", text[start:end])
    assert path.read_bytes() == data or not back.ok


async def test_text_shown_by_reading_is_editable_in_encodings(run: ToolRun) -> None:
    for encoding, bom in ENCODINGS.items():
        text = CHINESE if encoding[0] in "ug" else FRENCH
        path = run.workspace.root / "file"
        path.write_bytes(bom + text.encode(encoding))
        parts = (await invoke(read_file, {"path": "file"}, run)).output.split("\n")
        line = parts[1].partition("→")[2]
        assert (await changed(run, line, f"{line}!")).ok
        lines = text.replace(line, f"{line}!")
        assert path.read_bytes() == bom + lines.encode(encoding)
