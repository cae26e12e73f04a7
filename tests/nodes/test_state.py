from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage

from maxagent.nodes.state import merge_messages

writes = st.lists(
    st.one_of(
        st.builds(lambda i, t: HumanMessage(t, id=f"m{i}"), st.integers(0, 5), st.text(max_size=3)),
        st.builds(lambda i: RemoveMessage(id=f"m{i}"), st.integers(0, 5)),
    ),
    max_size=8,
)


@given(writes, writes)
def test_merging_in_two_batches_is_merging_in_one(first, second):
    at_once = merge_messages([], [first, second])
    one_by_one = merge_messages(merge_messages([], [first]), [second])
    assert at_once == one_by_one


def test_message_with_known_id_replaces_old_one():
    state = [HumanMessage("a", id="1"), AIMessage("b", id="2")]
    merged = merge_messages(state, [[HumanMessage("c", id="1")]])
    assert [(m.id, m.content) for m in merged] == [("1", "c"), ("2", "b")]


def test_removing_an_unknown_message_changes_nothing():
    state = [HumanMessage("a", id="1")]
    assert merge_messages(state, [RemoveMessage(id="9")]) == state
