import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maxagent.cli.rendering.markdown.blocks import PART_LINES, MarkdownBlock, MarkdownStream
from maxagent.cli.rendering.markdown.layout import render_block

BLOCKS = [
    "# Heading\n",
    "A paragraph\nof two lines.\n",
    "中文的一段，够长，要换行。中文的一段，够长，要换行。中文的一段，够长，要换行。\n",
    "- one\n- two\n  - deep\n",
    "1. one\n\n2. two\n",
    "> quoted\nlazily\n",
    "| a | b |\n|---|--:|\n| 1 | 2 |\n",
    "```python\nx = '''\n# no comment\n\n'''\n```\n",
    "~~~\n" + "line\n" * 40 + "~~~\n",
    "Setext\n===\n",
    "***\n",
    "    code\n\n    more\n",
]
DOCUMENTS = st.lists(st.sampled_from(BLOCKS), max_size=6).map("\n".join)
BITS = ["```", "~~~", "\n", "\n\n", "\r\n", "\r", "- ", "1. ", "> ", "|", "|-|", "    ", "a", "中é"]
BITS += ["=", "`", "*", "# ", "\t", "---", "[a]: b", "<p>", "\x1b[2J", "\u2028", "\x0c", "\x00"]
HOSTILE = st.lists(st.sampled_from(BITS), max_size=40).map("".join)


def cut_in_pieces(text, places):
    at = [0, *sorted({min(location, len(text)) for location in places}), len(text)]
    return [text[begin:end] for begin, end in zip(at, at[1:], strict=False)]


def in_pieces_of(size, text):
    return [text[begin : begin + size] for begin in range(0, len(text), size)]


def streamed(parts):
    stream = MarkdownStream()
    return [block for piece in parts for block in stream.feed(piece)] + stream.finish()


def shown(blocks, width=30):
    """The rows of blocks one after the other, with what is between them."""
    lines = []
    for block in blocks:
        new = [row.plain for row in render_block(block, width)]
        lines += [""] * bool(lines and new and not block.before) + new
    return lines


@given(DOCUMENTS | HOSTILE, st.lists(st.integers(0, 400), max_size=60))
def test_blocks_and_tail_equal_the_answer_so_far(text, places):
    stream, so_far, committed = MarkdownStream(), "", ""
    for piece in cut_in_pieces(text, places):
        so_far += piece
        committed += "".join(block.text for block in stream.feed(piece))
        assert committed + stream.tail.text == so_far
    assert committed + "".join(block.text for block in stream.finish()) == text
    assert stream.tail == MarkdownBlock("")


@settings(deadline=None)
@given(DOCUMENTS, st.integers(1, 30))
@example("\n".join(BLOCKS), 3)
def test_the_parts_look_like_the_whole(text, size):
    assert shown(streamed(in_pieces_of(size, text))) == shown([MarkdownBlock(text)])


@settings(deadline=None)
@given(HOSTILE, st.integers(1, 9))
def test_how_it_was_cut_changes_no_row(text, size):
    assert shown(streamed(in_pieces_of(size, text))) == shown(streamed([text]))


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("# a\n", "# a\n"),
        ("a\n---\n", "a\n---\n"),
        ("***\n", "***\n"),
        ("para\n", ""),
        ("para\n\n", "para\n\n"),
        ("para\n# h\nnext", "para\n# h\n"),
        ("| a |\n|---|\n| 1 |\n", ""),
        ("| a |\n|---|\n| 1 |\n\n", "| a |\n|---|\n| 1 |\n\n"),
        ("- a\n\n- b\n\n", ""),
        ("- a\n\nb\n", "- a\n\n"),
        ("    code\n\n", ""),
        ("> a\n", ""),
        ("> a\n\n", "> a\n\n"),
        ("```\na\n\n", ""),
        ("```\na\n```\n", "```\na\n```\n"),
        ("a\n```\na\n``\n", "a\n"),
        ("````\na\n```\n", ""),
        ("```\r\na\r\n```\r\n", "```\r\na\r\n```\r\n"),
        ("no line has ended", ""),
    ],
)
def test_block_is_finished_once_nothing_can_change_it(text, finished):
    stream = MarkdownStream()
    assert "".join(block.text for block in stream.feed(text)) == finished
    assert stream.tail.text == text.removeprefix(finished)


def test_long_fence_comes_in_parts_with_small_tail():
    stream = MarkdownStream()
    blocks, longest = [], 0
    for number in range(60):
        blocks += stream.feed("```c\n" if not number else f"line {number}\n")
        longest = max(longest, stream.tail.text.count("\n"))
    blocks += stream.feed("```\n")
    assert longest <= PART_LINES and len(blocks) > 3 and stream.tail == MarkdownBlock("")
    assert [block.before for block in blocks[1:]] == [
        "".join(block.text for block in blocks[:number]) for number in range(1, len(blocks))
    ]


def test_what_is_forgotten_does_not_come_back():
    stream = MarkdownStream()
    stream.feed("kept\n\n```py\nhalf")
    stream.discard_tail()
    assert stream.tail == MarkdownBlock("") and stream.feed("new\n\n") == [MarkdownBlock("new\n\n")]


@pytest.mark.parametrize("line", ["- an item of a list\n", "| a | b |\n", "> quote\n", "text\n"])
def test_endless_block_is_parsed_in_linear_time(line, monkeypatch):
    stream, parsed = MarkdownStream(), []
    parse = stream._parser.parse
    monkeypatch.setattr(
        stream._parser, "parse", lambda text: parsed.append(len(text)) or parse(text)
    )
    text = line * 1000
    for piece in in_pieces_of(3, text):
        stream.feed(piece)
    assert sum(parsed) < 12 * len(text)
