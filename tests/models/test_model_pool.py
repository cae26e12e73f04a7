"""Whoever asks the same model shares its connections; a script has a part for each role."""

import json
from dataclasses import replace
from pathlib import Path

from langchain_core.messages import HumanMessage
from provider import Provider

from maxagent.config.settings.schema import Settings
from maxagent.models.invoke import invoke_model
from maxagent.models.model_pool import ModelPool
from maxagent.models.resolver import resolve


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
    said = [await models.get(script, role).ainvoke("go") for role in ("architect", "coder")]
    assert [answer.text for answer in said] == ["a", "b"]
    assert models.get(script, "coder") is models.get(script, "coder")
