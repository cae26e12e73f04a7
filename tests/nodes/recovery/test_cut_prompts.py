from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata

from maxagent.config.settings.schema import Endpoint, Settings
from maxagent.models.resolver import ResolvedModel, resolve
from maxagent.nodes.recovery.cut_prompts import find_cut_prompt

OLLAMA = "http://localhost:11434/v1"


def build_model(url: str) -> ResolvedModel:
    return resolve(Settings(litellm=Endpoint(provider="openai", base_url=url, api_key="k")), {})


def read(tokens: int) -> AIMessage:
    usage = UsageMetadata(input_tokens=tokens, output_tokens=1, total_tokens=tokens + 1)
    return AIMessage("x", usage_metadata=usage)


@pytest.mark.parametrize(
    ("url", "fixed", "counts", "message"),
    [
        (OLLAMA, 15_000, [4_096], [True]),
        (OLLAMA, 15_000, [4_096, 4_096], [True, False]),
        (OLLAMA, 15_000, [2_048], [True]),
        (OLLAMA, 6_000, [4_096, 4_096], [False, True]),
        (OLLAMA, 6_000, [4_096, 4_100], [False, False]),
        (OLLAMA, 6_000, [5_000, 5_000], [False, False]),
        (OLLAMA, 15_000, [14_000], [False]),
        (OLLAMA, 15_000, [7_000], [False]),
        (OLLAMA, 15_000, [10], [False]),
        ("http://192.168.1.7:8080/v1", 15_000, [4_096], [True]),
        ("http://gpu.local:8080/v1", 15_000, [4_096], [True]),
        ("https://api.openai.com/v1", 15_000, [4_096], [False]),
        ("https://gateway.example/v1", 15_000, [4_096], [False]),
    ],
)
def test_count_far_below_the_estimate_is_told_once(
    url: str, fixed: int, counts: list[int], message: list[bool]
) -> None:
    thread, model, request = uuid4().hex, build_model(url), [HumanMessage("go on")]
    notices = [find_cut_prompt(thread, model, fixed, request, read(count)) for count in counts]
    assert [bool(notice) for notice in notices] == message
    assert all("num_ctx" in notice for notice in notices if notice)
