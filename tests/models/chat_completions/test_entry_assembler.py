"""Thinking entries out of their pieces."""

from typing import Any

import pytest

from maxagent.models.chat_completions.entry_assembler import EntryAssembler

TEXT = {"type": "reasoning.text", "index": 0}


@pytest.mark.parametrize(
    ("pieces", "entries"),
    [
        ([{**TEXT, "text": "a"}, {**TEXT, "text": "b", "signature": None},
          {**TEXT, "text": "", "signature": "s"}],
         [{**TEXT, "text": "ab", "signature": "s"}]),
        ([{**TEXT, "text": "a"}, {"type": "reasoning.text", "index": 1, "text": "b"},
          {**TEXT, "text": "c"}],
         [{**TEXT, "text": "ac"}, {"type": "reasoning.text", "index": 1, "text": "b"}]),
        ([{**TEXT, "text": "a"}, {"type": "reasoning.encrypted", "index": 0, "data": "x"},
          {"type": "reasoning.encrypted", "index": 0, "data": "y"}],
         [{**TEXT, "text": "a"}, {"type": "reasoning.encrypted", "index": 0, "data": "x"},
          {"type": "reasoning.encrypted", "index": 0, "data": "y"}]),
        ([{"type": "reasoning.encrypted", "data": "x"}] * 2,
         [{"type": "reasoning.encrypted", "data": "x"}]),
        ([{"type": "thinking", "thinking": "a", "signature": ""},
          {"type": "thinking", "thinking": "b", "signature": "s"},
          {"type": "thinking", "thinking": "c", "signature": ""},
          {"type": "thinking", "thinking": "", "signature": "t"}],
         [{"type": "thinking", "thinking": "ab", "signature": "s"},
          {"type": "thinking", "thinking": "c", "signature": "t"}]),
    ],
)  # fmt: skip
def test_pieces_make_entries(pieces: list[dict[str, Any]], entries: list[dict[str, Any]]) -> None:
    assembler = EntryAssembler()
    for piece in pieces:
        assembler.add_deltas([piece])
    assert assembler.entries == entries
