"""From the user's words to a chat model, and what that imports."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from provider import Provider

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Endpoint, ModelLimits, ModelSection, Settings
from maxagent.models.chat_completions.dialect import ChatCompletionsDialect
from maxagent.models.factory import ModelPool, close_model, open_model
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.invoke import invoke_model
from maxagent.models.langchain_responses import LangChainResponsesModel
from maxagent.models.resolver import resolve
from maxagent.models.responses.dialect import ResponsesDialect
from maxagent.models.scripted_model import ScriptedModel

RESPONSES, PACKAGE = (
    Settings(model=ModelSection(models={"gpt-4o": ModelLimits(api=api)}))
    for api in ("responses", "langchain-openai")
)


async def test_the_settings_and_the_spec_choose_the_class(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps([{"text": "Hi"}]))
    keys = {"OPENAI_API_KEY": "k"}
    opened = [
        open_model(resolve(Settings(), keys)),
        open_model(resolve(RESPONSES, keys, "openai/gpt-4o")),
        open_model(resolve(PACKAGE, keys, "openai/gpt-4o")),
        open_model(resolve(Settings(), {}, f"scripted/{tmp_path}/s.json"), role="coder"),
    ]
    assert [type(model) for model in opened] == [
        HttpChatModel,
        HttpChatModel,
        LangChainResponsesModel,
        ScriptedModel,
    ]
    assert [getattr(model, "dialect", None).__class__ for model in opened[:2]] == [
        ChatCompletionsDialect,
        ResponsesDialect,
    ]
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


HEAVY = ("langchain_core", "langgraph", "openai", "httpx2", "langchain_openai")
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
        "import maxagent.models.chat_completions.dialect, maxagent.models.http.chat_model\n"
        "import maxagent.models.responses.dialect, maxagent.models.scripted_model"
    )
    assert used == {"langchain_core", "httpx2"}


async def test_same_model_is_opened_once_another_beside_it() -> None:
    models, usual = ModelPool(), resolve(Settings(), {"OPENAI_API_KEY": "k"})
    first = models.get(usual, "architect")
    assert models.get(replace(usual), "coder") is first
    assert models.get(replace(usual, temperature=0.1), "coder") is not first
    await models.close()


async def test_roles_share_a_connection_until_it_is_closed(provider: Provider) -> None:
    provider.script([{"text": "one"}, {"text": "two"}, {"text": "three"}])
    environ = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "k"}
    models, usual = ModelPool(), resolve(Settings(), environ)
    for role in ("architect", "coder"):
        await invoke_model(models.get(usual, role), [HumanMessage("x")], print, print)
    assert provider.connections == 1
    await models.close()
    await invoke_model(models.get(usual, "tester"), [HumanMessage("x")], print, print)
    assert provider.connections == 2
    await models.close()


async def test_script_is_opened_for_each_role(tmp_path: Path) -> None:
    parts = {"architect": [{"text": "a"}], "coder": [{"text": "b"}, {"text": "c"}]}
    (tmp_path / "s.json").write_text(json.dumps(parts))
    models, script = ModelPool(), resolve(Settings(), {}, f"scripted/{tmp_path}/s.json")
    results = [await models.get(script, role).ainvoke("go") for role in ("architect", "coder")]
    assert [answer.text for answer in results] == ["a", "b"]
    assert models.get(script, "coder") is models.get(script, "coder")


def test_model_without_name_is_refused() -> None:
    with pytest.raises(UsageError, match="`ollama` needs the name of a model") as caught:
        open_model(resolve(Settings(), {}, "ollama"))
    assert "`ollama/MODEL`" in caught.value.hint
