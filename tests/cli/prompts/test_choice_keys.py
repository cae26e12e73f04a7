"""Which keys answer: tables of keys with their times, and sentences at every offset."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.cli.prompts.choice_keys import Choice, ChoiceKeys, ChoiceReply

PLAIN = [Choice("yes", "Yes"), Choice("edit", "Edit"), Choice("no", "No")]
ALWAYS = [Choice("yes", "Yes"), Choice("always", "Always", needs_enter=True), Choice("no", "No")]
UNDO = [
    Choice("keep", "Keep"),
    Choice("undo", "Undo", needs_enter=True),
    Choice("remark", "Changes", needs_text=True),
]
TRUST = [Choice("yes", "Yes", needs_enter=True), Choice("quit", "Quit"), Choice("no", "No")]
EDITS = [Choice("yes", "Yes"), Choice("edits", "E", shortcut="s-tab", letter=""), PLAIN[-1]]
QUESTIONS = [PLAIN, ALWAYS, UNDO, TRUST, EDITS]
NAMES = {"⏎": "enter", "⇥": "s-tab", "↓": "down", "↑": "up", "⌫": "backspace"}
# A key with the seconds since the question was drawn; drawn at 0
Keys = Sequence[tuple[float, str]]


def play(keys: ChoiceKeys, typed: Keys) -> ChoiceReply | None:
    """Press the keys at their times, and let all pauses pass; the first answer."""
    for time, key in [*typed, (99.0, "")]:
        while (due := keys.next_check) is not None and due < time:
            if reply := keys.check(due):
                return reply
            if due == keys.next_check:
                break
        if keys.next_check is None and time >= 0 and not keys.is_ready(98.0):
            keys.draw(0.0)
        if reply := press(keys, key, time):
            return reply
    return None


def press(keys: ChoiceKeys, key: str, time: float) -> ChoiceReply | None:
    match NAMES.get(key, key):
        case "":
            return None
        case "enter":
            return keys.press_enter(time)
        case "s-tab":
            return keys.press_shortcut("s-tab", time)
        case "down" | "up":
            keys.move(1 if key == "↓" else -1, time)
        case "backspace":
            keys.change_text(keys.text[:-1], time)
        case _:
            keys.change_text(keys.text + key, time, is_typed=True)
    return None


def answer(
    choices: Sequence[Choice], typed: Keys, *, last_key: float = float("-inf"), draft: bool = False
) -> tuple[str, str] | None:
    reply = play(ChoiceKeys(choices, last_key=last_key, has_draft=draft), typed)
    return (reply.word, reply.text) if reply else None


@pytest.mark.parametrize(
    ("choices", "typed", "word"),
    [
        (PLAIN, [(0.6, "y")], "yes"),
        (PLAIN, [(0.6, "Y")], "yes"),
        (PLAIN, [(0.6, "1")], "yes"),
        (PLAIN, [(0.6, "⏎")], "yes"),
        (PLAIN, [(0.6, "n")], "no"),
        (PLAIN, [(0.6, "2")], "edit"),
        (PLAIN, [(0.6, "y"), (0.75, "⏎")], "yes"),
        (PLAIN, [(0.6, "↓"), (0.7, "⏎")], "edit"),
        (PLAIN, [(0.6, "↑"), (0.7, "⏎")], "no"),
        (EDITS, [(0.6, "⇥")], "edits"),
        (UNDO, [(0.6, "k")], "keep"),
        (UNDO, [(0.6, "u"), (1.4, "⏎")], "undo"),
        (TRUST, [(0.6, "y"), (1.4, "⏎")], "yes"),
        (TRUST, [(0.6, "↓"), (0.9, "⏎")], "yes"),
        (TRUST, [(0.6, "⏎")], "no"),
        (TRUST, [(0.6, "q")], "quit"),
        # too early, but alone: it selects, and Enter confirms
        (PLAIN, [(0.1, "2"), (0.9, "⏎")], "edit"),
        (PLAIN, [(0.1, "n"), (0.2, "⏎"), (1.0, "⏎")], "no"),
    ],
)
def test_lone_key_after_a_pause_answers(choices, typed, word) -> None:
    assert answer(choices, typed) == (word, "")


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ([(0.6, "2")], None),  # what to do instead can be typed now
        ([(0.6, "2"), (1.4, "⏎")], ("no", "")),
        ([(0.6, "2"), (0.8, "⏎")], ("no", "")),
        ([(0.6, "2"), (1.4, "o"), (1.6, "k"), (1.8, "⏎")], ("no", "ok")),
        ([(0.6, "n")], ("no", "")),
    ],
)
def test_number_of_an_inviting_no_waits(typed, reply) -> None:
    choices = [Choice("yes", "Yes"), Choice("no", "No", invites_text=True)]
    assert answer(choices, typed) == reply


@pytest.mark.parametrize(
    ("choices", "typed"),
    [
        (PLAIN, [(0.1, "y")]),
        (PLAIN, [(0.1, "⏎"), (0.4, "⏎")]),
        (PLAIN, [(0.3, "⏎"), (0.9, "⏎")]),
        (EDITS, [(0.1, "⇥"), (0.6, "⇥")]),
        (ALWAYS, [(0.6, "a")]),
        (ALWAYS, [(0.6, "2"), (0.9, "⏎")]),
        (UNDO, [(0.6, "u")]),
        (UNDO, [(0.6, "u"), (0.7, "⏎")]),
        (UNDO, [(0.6, "3"), (1.5, "⏎")]),
        (TRUST, [(0.6, "y"), (0.8, "⏎")]),
        (PLAIN, [(0.6, "y"), (0.8, "e"), (1.0, "s")]),
        (PLAIN, [(0.6, "y"), (0.61, "⏎")]),  # pasted
        (PLAIN, [(0.6, "y"), (0.8, "a"), (1.2, "⌫"), (5.0, "")]),
        (PLAIN, [(0.6, "y"), (0.8, "e"), (1.0, "s"), (1.2, "⏎")]),  # it only selects
        (PLAIN, [(-0.1, "o"), (0.1, "k"), (0.2, "⏎")]),
    ],
)
def test_key_that_is_not_meant_answers_nothing(choices, typed) -> None:
    assert answer(choices, typed) is None


@pytest.mark.parametrize("draft", [True, False])
@pytest.mark.parametrize("typed", [[(0.65, "⏎")], [(0.3, "y"), (1.2, "⏎")]])
def test_key_after_typing_in_the_prompt_answers_nothing(typed, draft) -> None:
    reply = answer(PLAIN, typed, last_key=0.0, draft=draft)
    assert reply in (None, ("no", "y")) if draft else reply in (None, ("yes", ""))
    assert draft or typed[0][1] == "y" or reply is None


@pytest.mark.parametrize(("choices", "word"), [(PLAIN, "no"), (UNDO, "remark"), (TRUST, "no")])
def test_text_answers_with_the_last_choice(choices, word) -> None:
    typed = [(0.6 + at * 0.2, key) for at, key in enumerate("yes but use unittest⏎")]
    assert answer(choices, typed) == (word, "yes but use unittest")


def test_word_of_a_choice_selects_and_enter_confirms() -> None:
    typed = [(0.6, "y"), (0.7, "e"), (0.8, "s"), (0.9, "⏎")]
    assert answer(PLAIN, typed) is None
    assert answer(PLAIN, [*typed, (1.7, "⏎")]) == ("yes", "")
    assert answer(PLAIN, [(0.6, "n"), (0.7, "o"), (0.8, "⏎")]) == ("no", "")


def test_arrow_leaves_the_text_behind() -> None:
    typed = [(0.6, "a"), (0.7, "b"), (1.5, "↑"), (1.6, "↑"), (1.7, "⏎")]
    assert answer(PLAIN, typed) == ("yes", "")


ZH = [Choice("yes", "是"), Choice("edit", "编辑"), Choice("no", "否，说明原因")]
MODEL = [Choice("y", "y", letter=""), Choice("", "其他", needs_text=True, letter="")]


@pytest.mark.parametrize("choices", [PLAIN, ZH, ALWAYS, TRUST], ids=["en", "zh", "more", "trust"])
@pytest.mark.parametrize("line", ["是", "是的", "好", "可以", "ｙｅｓ", "ＹＥＳ", " Yes "])
def test_known_word_selects_and_enter_confirms(choices, line) -> None:
    keys = ChoiceKeys(choices)
    keys.draw(0.0)
    keys.change_text(line, 0.6)
    assert keys.press_enter(0.8) is None
    assert keys.press_enter(1.6) == ChoiceReply("yes")


@pytest.mark.parametrize(
    ("choices", "line", "reply"),
    [
        (ZH, "编辑", ("edit", "")),
        (UNDO, "ｕｎｄｏ", ("undo", "")),
        (UNDO, "Changes", ("remark", "Changes")),
        (ZH, "否，说明原因", ("no", "")),
        (ZH, "不行", ("no", "")),
        (PLAIN, "否", ("no", "")),
        (PLAIN, "ｎｏ", ("no", "")),
        # sentences, and what only looks like a word
        (ZH, "是的，但是先跑测试", ("no", "是的，但是先跑测试")),
        (ZH, "是。", ("no", "是。")),
        (ZH, "好吗", ("no", "好吗")),
        (ZH, "编 辑", ("no", "编 辑")),
        (PLAIN, "yes please", ("no", "yes please")),
        (MODEL, "是", ("", "是")),
        (MODEL, "y", ("", "y")),
    ],
)
def test_whole_line_means_its_choice_or_is_text(choices, line, reply) -> None:
    keys = ChoiceKeys(choices)
    keys.draw(0.0)
    keys.change_text(line, 0.6)
    first = keys.press_enter(0.8)
    assert (first or keys.press_enter(1.6)) == ChoiceReply(*reply)


@pytest.mark.parametrize(
    ("key", "word"), [("ｙ", "yes"), ("Ｙ", "yes"), ("１", "yes"), ("ｎ", "no")]
)
def test_full_width_key_answers(key, word) -> None:
    assert answer(PLAIN, [(0.6, key)]) == (word, "")


SENTENCES = st.text(
    st.sampled_from("yntaeuskqr1234 ?,.öé用单测试跑一下"), min_size=2, max_size=40
).filter(lambda text: len(text.strip()) > 1 and text == text.strip())


@given(
    sentence=SENTENCES,
    speed=st.floats(5.0, 15.0),
    offset=st.floats(-4.0, 2.0),
    question=st.sampled_from(QUESTIONS),
    in_prompt=st.booleans(),
    enter=st.booleans(),
)
def test_no_sentence_is_consent(sentence, speed, offset, question, in_prompt, enter) -> None:
    times = [offset + at / speed for at in range(len(sentence) + 1)]
    typed = list(zip(times, f"{sentence}⏎" if enter else sentence, strict=False))
    before = [pair for pair in typed if pair[0] < 0]
    last_key, draft = (before[-1][0], "".join(key for _, key in before)) if before else (-9.0, "")
    keys = ChoiceKeys(question, last_key=last_key, has_draft=bool(draft and in_prompt))
    if in_prompt:
        if draft and not draft.endswith("⏎"):
            keys.change_text(draft, last_key)
        typed = typed[len(before) :]
    reply = play(keys, typed)
    assert reply is None or (reply.word == question[-1].word and reply.text)
