"""From the user's words to a chat model, and what that imports."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from provider import Provider

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Endpoint, ModelLimits, ModelSection, Settings
from maxagent.models.chat_completions.chat_model import ChatCompletions
from maxagent.models.factory import close_model, open_model
from maxagent.models.invoke import invoke_model
from maxagent.models.openai_responses import ResponsesModel
from maxagent.models.resolver import resolve
from maxagent.models.scripted_model import ScriptedModel

RESPONSES = Settings(model=ModelSection(models={"gpt-4o": ModelLimits(api="responses")}))


async def test_the_settings_and_the_spec_choose_the_class(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps([{"text": "Hi"}]))
    keys = {"OPENAI_API_KEY": "k"}
    opened = [
        open_model(resolve(Settings(), keys)),
        open_model(resolve(RESPONSES, keys, "openai/gpt-4o")),
        open_model(resolve(Settings(), {}, f"scripted/{tmp_path}/s.json"), role="coder"),
    ]
    assert [type(model) for model in opened] == [ChatCompletions, ResponsesModel, ScriptedModel]
    for model in opened:
        await close_model(model)


async def test_an_environment_alone_is_enough(provider: Provider) -> None:
    provider.script([{"text": "Hi"}])
    environ = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "k"}
    model = open_model(resolve(Settings(), environ))
    message = await invoke_model(model, [HumanMessage("x")], print, print)
    await close_model(model)
    assert message.content == "Hi"
    body = provider.requests[0].body
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("gpt-4o", 16_384, 0.7)


def test_unknown_provider_is_usage_error_without_network() -> None:
    with pytest.raises(UsageError):
        resolve(Settings(litellm=Endpoint(provider="nobody")), {})


HEAVY = ("langchain_core", "langgraph", "openai", "httpx", "langchain_openai")
LIGHT = ["providers", "resolver", "catalog", "errors", "retry", "error_classification", "factory"]


def imported_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name for name in done.stdout.split() if name in HEAVY}


def test_what_light_commands_use_is_light() -> None:
    assert imported_by("\n".join(f"import maxagent.models.{name}" for name in LIGHT)) == set()


def test_no_sdk_is_imported_but_the_one_used() -> None:
    used = imported_by(
        "import maxagent.models.chat_completions.chat_model, maxagent.models.scripted_model"
    )
    assert used == {"langchain_core", "httpx"}
