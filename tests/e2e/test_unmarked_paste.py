"""A paste at a terminal without bracketed paste is one message, not one for each line."""

import pytest
from chat_window import SIGN, ChatWindow
from provider import Provider

PASTES = [
    "first line\rsecond line\r",
    "def f(x):\r    if x:\r        return 1\r\r    return 2\r",
    "# 标题\r\r- 一\r- 二\r",
    "q\rexit\r/undo\r!rm x\r",
    "".join(f"line {number} of a long text that goes on\r" for number in range(150)),
]


def test_lines_of_a_burst_are_one_message(tmp_path, provider: Provider) -> None:
    window = ChatWindow(tmp_path, provider, "en")
    window.answers(*[{"text": f"Answer {number}."} for number in range(len(PASTES))])
    with window.open():
        for number, pasted in enumerate(PASTES):
            window.type(pasted)
            window.see(f"Answer {number}.")
            window.rest()
            assert window.told() == pasted.replace("\r", "\n").strip()
    assert len(provider.requests) == len(PASTES)


def test_lines_sent_one_by_one_stay_apart(tmp_path, provider: Provider) -> None:
    window = ChatWindow(tmp_path, provider, "en")
    window.answers({"text": "Answer 0."}, {"text": "Answer 1."})
    with window.open():
        window.say("first", until="Answer 0.")
        window.say("second", until="Answer 1.")
        assert window.told() == "second"


@pytest.mark.parametrize("pasted", ["one\ntwo\nthree\n", "a\n\n\nb\n"])
def test_dumb_terminal_takes_a_paste_as_one(tmp_path, provider: Provider, pasted: str) -> None:
    window = ChatWindow(tmp_path, provider, "en", TERM="dumb")
    window.answers({"text": "Answer 0."}, {"text": "Answer 1."})
    terminal = window.open().terminal
    with terminal:
        window.see(SIGN)
        window.type(pasted).see("Answer 0.")
        assert window.told() == pasted.strip()
        assert len(provider.requests) == 1
