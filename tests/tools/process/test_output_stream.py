from maxagent.tools.process.output_stream import PIECES, SHOWN, LiveOutput


def shown(*content: bytes) -> list[str]:
    names: list[str] = []
    live = LiveOutput(names.append)
    for piece in content:
        live.add(piece)
    return names


def test_pieces_are_shown_as_they_come() -> None:
    assert shown(b"one\n", b"\x1b[31mtwo") == ["one\n", "two"]


def test_a_character_cut_in_two_is_shown_whole() -> None:
    assert "".join(shown(b"caf\xc3", b"\xa9")) == "café"


def test_after_the_bound_only_the_amount_is_reported() -> None:
    message = shown(b"x" * SHOWN, b"y", *[b"z" * 1_000_000] * 200)
    assert message[0] == "x" * SHOWN
    assert message[1] == "\n[… 64,001 bytes so far …]\n"
    assert (len(message) < 30, any("z" in text for text in message)) == (True, False)


def test_chunk_over_limit_is_shown_up_to_limit() -> None:
    assert shown(b"x" * (SHOWN + 1)) == ["x" * SHOWN, "\n[… 64,001 bytes so far …]\n"]


def test_many_tiny_pieces_are_bounded_too() -> None:
    assert len(shown(*[b"."] * (PIECES * 5))) == PIECES + 1
