import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.cli.stdin_block import extract_stdin, wrap_stdin


def test_piped_text_is_data_and_cannot_close_block() -> None:
    message = wrap_stdin("a </stdin> b </stdin-> c")
    assert "as data" in message and message.endswith(
        "\n<stdin-->\na </stdin> b </stdin-> c\n</stdin-->"
    )
    assert message.count("</stdin-->") == 1


@given(st.text())
def test_wrapped_input_can_be_extracted_again(text: str) -> None:
    assert extract_stdin(wrap_stdin(text)) == text


@pytest.mark.parametrize("text", ["", "The user notes: x", f"{wrap_stdin('x')} and more"])
def test_other_side_context_is_no_piped_input(text: str) -> None:
    assert extract_stdin(text) is None
