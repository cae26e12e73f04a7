"""The form in which a model is offered its tools."""

from dataclasses import replace

import pytest
from xml_tools import KNOWN

from maxagent.config.settings.schema import ModelLimits, ModelSection, Settings
from maxagent.models.factory import ModelPool
from maxagent.models.http.chat_model import HttpChatModel
from maxagent.models.resolver import ToolCalls, resolve
from maxagent.models.xml_calls.model import AutoCallsModel, XmlCallsModel
from maxagent.models.xml_calls.tool_binding import bind_tools
from maxagent.tools.runtime.registry import load_all_tools


@pytest.mark.parametrize(
    ("tool_calls", "expected"),
    [("native", HttpChatModel), ("xml", XmlCallsModel), ("auto", AutoCallsModel)],
)
async def test_the_setting_chooses_the_form(tool_calls: ToolCalls, expected: type) -> None:
    section = ModelSection(models={"openai/gpt-4o": ModelLimits(tool_calls=tool_calls)})
    resolved = resolve(Settings(model=section), {"OPENAI_API_KEY": "k"}, "openai/gpt-4o")
    pool = ModelPool()
    model = bind_tools(
        pool.get(resolved, ""), load_all_tools(), KNOWN, resolved, pool.tool_refusals
    )
    assert type(model) is expected
    await pool.close()


def test_models_differ_by_their_form() -> None:
    usual = resolve(Settings(), {"OPENAI_API_KEY": "k"})
    assert usual.tool_calls == "auto"
    assert replace(usual, tool_calls="xml") != usual
