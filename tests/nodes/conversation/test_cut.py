from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.nodes.conversation.cut import get_conversation, merge_cuts

writes = st.lists(
    st.dictionaries(
        st.sampled_from(["chat", "coder"]), st.none() | st.builds(lambda n: {"id": n}, st.text())
    ),
    max_size=6,
)


@given(writes, writes)
def test_merging_in_two_batches_is_merging_in_one(first: Any, second: Any) -> None:
    assert merge_cuts(merge_cuts({}, first), second) == merge_cuts({}, [*first, *second])


def test_none_removes_one_conversations_cut() -> None:
    item: Any = {"id": "1"}
    assert merge_cuts({"chat": item, "coder": item}, [{"chat": None}]) == {"coder": item}


@pytest.mark.parametrize(
    ("role", "conversation"), [("build", "chat"), ("plan", "chat"), ("coder", "coder")]
)
def test_both_modes_share_a_conversation(role: Any, conversation: str) -> None:
    assert get_conversation(role) == conversation
