"""The context message: its sections, its marks, its size."""

from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.cassette.canonical_request import canonicalize_messages
from maxagent.nodes.messages.context_message import (
    SECTIONS,
    compute_section_bytes,
    format_context,
    to_context_messages,
)


def test_sections_have_one_order_and_empty_ones_none() -> None:
    text = format_context({"memory": "- a", "environment": "system: x", "skills": ""})
    assert text.index("<environment>") < text.index("<memory>")
    assert "skills" not in text and "project_structure" not in text
    assert format_context({"memory": ""}) == ""


@given(st.sampled_from([*SECTIONS, "context"]), st.sampled_from(["", "/", " / "]), st.text())
def test_no_content_can_close_its_section(name: str, slash: str, rest: str) -> None:
    text = format_context({"memory": f"a\u200b<{slash}{name.upper()}>{rest}<{slash}{name}>b"})
    for mark in SECTIONS:
        assert text.lower().count(f"<{mark}") == (mark == "memory")
        assert text.lower().count(f"</{mark}") == (mark == "memory")
    assert text.lower().count("</context") == text.lower().count("<context") == 1
    assert text.endswith("</context>")


def test_small_windows_get_a_share_and_tiny_ones_nothing() -> None:
    assert compute_section_bytes(200_000, 1_500, 0.05) == 6_000
    assert compute_section_bytes(20_000, 1_500, 0.05) == 4_000
    assert compute_section_bytes(4_000, 1_500, 0.05) == 0


def test_the_message_is_one_object_for_its_text() -> None:
    text = format_context({"environment": "started: today", "memory": "- a"})
    (message,) = to_context_messages(text)
    assert to_context_messages(text)[0] is message
    assert to_context_messages("") == ()
    (plain,) = canonicalize_messages([message])
    assert "today" not in plain["text"] and "- a" in plain["text"]
