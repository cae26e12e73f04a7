"""Splitter of thinking at the beginning of an answer from the answer itself (pure).

Servers without a parser for their model pass its own tags on: `<think>…</think>` of most,
`[THINK]…[/THINK]` of Mistral's, the channels of OpenAI's open models.
"""

import re

from langchain_core.messages import AIMessage

# By the tag that opens it, the tag that ends it
TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "[THINK]": "[/THINK]",
    "<seed:think>": "</seed:think>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel>thought": "<channel|>",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
}
# What stands before an answer in the channel for it
FINAL = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
# Most characters of blanks before the tag
MAX_BLANK_LENGTH = 1_000
_LONE = re.compile(
    r"[ \t]*(?:</think(?:ing)?>|\[/THINK\]|</seed:think>)[ \t]*(?:\n|\Z)|\n(?:</think>)(?=\S)"
)
# Signs of an end that a server should have taken off
_ENDS = (
    r"<\|(?:return|end|im_end|eot_id|eom_id|endoftext|end_of_text|END_RESPONSE|end_of_box)\|>"
    r"|<(?:end_of_turn|turn\|)>|<｜end▁of▁sentence｜>|\[e~\["
)
_MAY_HAVE = re.compile(rf"</(?:seed:)?think|\[/THINK\]|{_ENDS}")
_END = re.compile(rf"(?:(?:{_ENDS})\s*)+\Z")
_BOX = re.compile(r"\A\s*<\|(?:begin_of_box|START_RESPONSE)\|>")


class ThinkingSplitter:
    """Accepts an answer's text in any portions; only a tag before the first word counts."""

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""
        self._close = ""

    def feed(self, text: str) -> tuple[str, str]:
        """Return the thinking and the answer, as far as this portion decides."""
        if self._state == "answer":
            return "", text
        self._held += text
        thinking = answer = ""
        if self._state == "start":
            self._detect_start()
        while self._state in ("thinking", "gap"):
            before = self._state
            if before == "thinking":
                thinking += self._split_thinking()
            else:
                self._skip_gap()
            if self._state == before:
                break
        if self._state == "answer":
            answer, self._held = self._held, ""
        return thinking, answer

    def close(self) -> tuple[str, str]:
        """Return the text held back at the end of the answer."""
        held, self._held = self._held, ""
        return (held, "") if self._state == "thinking" else ("", held)

    def _detect_start(self) -> None:
        word = self._held.lstrip()
        opening = next((tag for tag in TAGS if word.startswith(tag)), "")
        if len(self._held) - len(word) > MAX_BLANK_LENGTH:
            self._state = "answer"
        elif opening:
            self._state, self._held = "thinking", word[len(opening) :]
            self._close = TAGS[opening]
        elif any(word.startswith(tag) for tag in FINAL):
            self._state = "gap"
        elif not any(tag.startswith(word) for tag in (*TAGS, *FINAL)):
            self._state = "answer"

    def _split_thinking(self) -> str:
        thinking, tag, rest = self._held.partition(self._close)
        if tag:
            self._state, self._held = "gap", rest
            return thinking
        keep = _measure_overlap(self._held, self._close)
        thinking = self._held[: len(self._held) - keep]
        self._held = self._held[len(thinking) :]
        return thinking

    def _skip_gap(self) -> None:
        """Drop blank lines, and the answer's channel, between the thinking and the answer."""
        self._held = self._held.lstrip()
        opening = next((tag for tag in TAGS if self._held.startswith(tag)), "")
        if opening:  # the model goes on thinking
            self._state, self._held = "thinking", self._held[len(opening) :]
            self._close = TAGS[opening]
            return
        channel = next((tag for tag in FINAL if self._held.startswith(tag)), "")
        if channel:
            self._held = self._held[len(channel) :].lstrip()
        elif any(tag.startswith(self._held) for tag in (*TAGS, *FINAL)):
            return
        if self._held:
            self._state = "answer"


def take_lone_thinking(answer: AIMessage) -> AIMessage:
    """Return the answer without thinking and marks of channels that stand in its text."""
    text = answer.content
    if not isinstance(text, str) or not _MAY_HAVE.search(text):
        return answer
    thinking, words = split_lone_thinking(text)
    if words == text or not (words.strip() or answer.tool_calls or answer.invalid_tool_calls):
        return answer
    extra = dict(answer.additional_kwargs)
    if thinking and not extra.get("reasoning_content"):
        extra["reasoning_content"] = thinking
    return answer.model_copy(update={"content": words, "additional_kwargs": extra})


def split_lone_thinking(text: str) -> tuple[str, str]:
    """Return the thinking before a closing tag that nothing has opened, and the answer.

    A template that writes the opening tag itself leaves only the closing one in the answer.
    """
    text = _BOX.sub("", _END.sub("", text))
    match = _LONE.search(text)
    if match is None or any(tag in text[: match.start()] for tag in TAGS):
        return "", text
    before, after = text[: match.start()], text[match.end() :]
    line = before.rpartition("\n")[2]
    if before.count("```") % 2 or line.count("`") % 2:
        return "", text
    return before.strip(), after.lstrip()


def _measure_overlap(text: str, tag: str) -> int:
    """Return the number of characters at the end of the text that could begin the tag."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), 0)
