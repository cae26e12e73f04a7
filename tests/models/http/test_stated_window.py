import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.http.stated_window import find_stated_window

# the providers' own words
STATED = [
    (
        8_192,  # OpenAI
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "9067 tokens (8900 in the messages, 167 in the functions). Please reduce the length",
    ),
    (
        8_192,  # OpenAI, DeepSeek, vLLM
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens "
        "(4904 in the messages, 4096 in the completion).",
    ),
    (
        272_000,
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in "
        "300109 tokens.",
    ),
    (
        131_072,  # OpenRouter
        "This endpoint's maximum context length is 131,072 tokens. However, you requested about "
        "140000 tokens (139000 of text input, 1000 of tool input).",
    ),
    (200_000, "prompt is too long: 210000 tokens > 200000 maximum"),  # Anthropic
    (
        200_000,
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
        "input length or `max_tokens` and try again",
    ),
    (
        8_192,  # vLLM
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context "
        "length is 8192 tokens and your request has 5000 input tokens (4096 > 8192 - 5000).",
    ),
    (
        8_192,
        "You passed 8193 input tokens and requested 1 output tokens. However, the model's context "
        "length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
    ),
    (
        32_768,
        "The decoder prompt (length 40001) is longer than the maximum model length of 32768.",
    ),
    (
        8_192,  # SGLang
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    ),
    (
        8_192,  # llama.cpp
        "request (12345 tokens) exceeds the available context size (8192 tokens), try increasing "
        "it",
    ),
    (
        4_096,  # LM Studio
        "The number of tokens to keep from the initial prompt is greater than the context length "
        "(n_keep: 9000>= n_ctx: 4096)",
    ),
    (
        4_096,
        "Trying to keep the first 9000 tokens when context the overflows. However, the model is "
        "loaded with context length of only 4096 tokens, which is not enough.",
    ),
    (
        1_048_576,  # Gemini
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    (
        32_768,  # Mistral
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
        "context length",
    ),
    (
        131_072,  # xAI
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    ),
    (128_000, "prompt token count of 140000 exceeds the limit of 128000"),  # Copilot
    (129_024, "Range of input length should be [1, 129024]"),  # Qwen
    (
        262_144,  # Kimi
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 263000)",
    ),
    (131_071, "The prompt is too long: 140000, model maximum context length: 131071"),  # Fireworks
    (20_000, "`openai/small` counted 20,500 tokens, and 20,000 fit"),
    (
        8_000,
        "`gpt-4-1106` at 127.0.0.1:18777 answered 400: maximum context length is 8000 tokens. "
        "However, your messages resulted in 3949",
    ),
]
UNSTATED = [
    "`small` at 127.0.0.1:34567 answered 400: prompt is too long",
    "prompt too long; exceeded max context length by 1234 tokens",  # Ollama
    "Your input exceeds the context window of this model",  # OpenAI
    "the request exceeds the available context size",  # llama.cpp
    "Input is too long for requested model.",  # Bedrock
    "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000",
    "maximum context length is 512 tokens",
]


@pytest.mark.parametrize(("window", "message"), STATED)
def test_window_is_read_from_the_providers_words(window: int, message: str) -> None:
    assert find_stated_window(message) == window


@pytest.mark.parametrize("message", UNSTATED)
def test_other_numbers_are_no_window(message: str) -> None:
    assert find_stated_window(message) == 0


@given(st.text())
def test_any_message_is_read(message: str) -> None:
    assert find_stated_window(message) >= 0
