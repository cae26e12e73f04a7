"""The form in which a model is offered its tools."""

from dataclasses import replace

import pytest

from maxagent.config.settings.schema import ModelLimits, ModelSection, Settings
from maxagent.models.factory import ModelPool
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.resolver import ToolCalls, resolve
from maxagent.models.xml_calls.model import AutoCallsModel, XmlCallsModel
from maxagent.nodes.agent.tool_binding import bind_tools, list_known_tools
from maxagent.tools.runtime.registry import load_all_tools


@pytest.mark.parametrize(
    ("tool_calls", "expected"),
    [("native", HttpChatModel), ("xml", XmlCallsModel), ("auto", AutoCallsModel)],
)
async def test_the_setting_chooses_the_form(tool_calls: ToolCalls, expected: type) -> None:
    section = ModelSection(models={"openai/gpt-4o": ModelLimits(tool_calls=tool_calls)})
    resolved = resolve(Settings(model=section), {"OPENAI_API_KEY": "k"}, "openai/gpt-4o")
    pool, tools = ModelPool(), load_all_tools()
    model = bind_tools(pool.get(resolved, ""), tools, list_known_tools(tools), resolved, pool)
    assert type(model) is expected
    await pool.close()


def test_aliases_of_tools_and_arguments_are_known() -> None:
    known = list_known_tools(load_all_tools())
    found = known.find("writeToFile")
    assert found is not None and found.name == "write_file"
    assert found.find_schema("file_path") == found.find_schema("path") == {"type": "string"}
    assert known.find("use_rag_tool") is None


def test_models_differ_by_their_form() -> None:
    usual = resolve(Settings(), {"OPENAI_API_KEY": "k"})
    assert usual.tool_calls == "auto"
    assert replace(usual, tool_calls="xml") != usual
