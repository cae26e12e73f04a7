"""The context window that a provider names when it refuses a request as too long."""

import re

# A window of less is about something else
MIN_WINDOW_TOKENS = 2_000
# by their own words, since such a message has the sizes of the request, too: the first one counts
_STATED = re.compile(
    "|".join(
        (
            r"(?:context|prompt|model) length(?: (?:is|of))?(?: only)?:? ?\(?NUMBER",  # OpenAI
            r"n_ctx\W{1,4}NUMBER",  # LM Studio; llama.cpp, as a field
            r"context size \(NUMBER",  # llama.cpp
            r"\bNUMBER maximum\b",  # Anthropic: "> 200000 maximum"; Mistral
            r"\d \+ \d+ > NUMBER",  # Anthropic: input and `max_tokens`
            r"\blimit of NUMBER",  # OpenAI: "configured limit of"; Copilot
            r"token limit: NUMBER",  # Kimi
            r"number of tokens allowed\W{1,3}NUMBER",  # Gemini
            r"input length should be \[\d+, ?NUMBER\]",  # Qwen
            r"counted [\d,]+ tokens, and NUMBER fit",  # our own, for a silent overflow
        )
    ).replace("NUMBER", r"(\d[\d,_]{2,}\d)"),
    re.IGNORECASE,
)


def find_stated_window(message: str) -> int:
    """Return the tokens that the message says a model can read; 0 if it does not say so."""
    match = _STATED.search(message)
    if match is None or match.lastindex is None:
        return 0
    window = int(re.sub(r"\D", "", match[match.lastindex]))
    return window if window >= MIN_WINDOW_TOKENS else 0
