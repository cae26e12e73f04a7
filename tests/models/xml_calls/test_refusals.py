"""Endpoints that deny tools."""

from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.config.settings.schema import Settings
from maxagent.models.resolver import resolve
from maxagent.models.xml_calls.refusals import ToolRefusals, is_tools_refusal

MODEL = resolve(Settings(), {"OPENAI_API_KEY": "k"}, "openai/small")


@pytest.mark.parametrize(
    "message",
    [
        "registry.ollama.ai/library/gemma3:4b does not support tools",
        "`x` at localhost answered 400: gemma does not support tool calling",
        "deepseek-reasoner does not support Function Calling",
        "No endpoints found that support tool use. Try disabling it",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tools param requires --jinja flag",
        "`tool calling` is not supported with this model",
        "Function calling is not enabled for models/gemma-3-27b-it",
        "litellm.UnsupportedParamsError: x does not support parameters: ['tools'], for model=x",
        "Tools are not supported",
    ],
)
def test_a_refusal_of_tools_is_known(message: str) -> None:
    assert is_tools_refusal(message)


@pytest.mark.parametrize(
    "message",
    [
        "the model `tools` does not exist",
        "tools.0.function.name is too long",
        "does not support temperature",
        "rate limit: tool calls per minute",
        "model `x` is not supported",
    ],
)
def test_another_error_is_no_refusal(message: str) -> None:
    assert not is_tools_refusal(message)


async def test_a_refusal_is_remembered_for_one_endpoint(tmp_path: Path) -> None:
    file = tmp_path / "xml-models"
    await ToolRefusals(file).add_model(MODEL)
    again = ToolRefusals(file)
    assert again.has_model(MODEL)
    assert not again.has_model(replace(MODEL, base_url="http://localhost:1/v1"))
    assert not again.has_model(replace(MODEL, model="other"))


async def test_an_unwritable_file_is_no_error(tmp_path: Path) -> None:
    refusals = ToolRefusals(tmp_path / "missing" / "xml-models")
    await refusals.add_model(MODEL)
    assert refusals.has_model(MODEL)
