"""How an agent's model is offered the tools: natively, or as XML in the text."""

from collections.abc import Sequence

from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from ..resolver import ResolvedModel
from .known_tools import KnownTools
from .model import AutoCallsModel, XmlCallsModel
from .refusals import ToolRefusals


def bind_tools(
    chat_model: BaseChatModel,
    offered: Sequence[BaseTool],
    known_tools: KnownTools,
    resolved: ResolvedModel,
    refusals: ToolRefusals,
) -> Runnable[LanguageModelInput, AIMessage]:
    """Return the model with these tools, in the form that it understands."""
    xml = XmlCallsModel(chat_model, known_tools, [tool.name for tool in offered])
    if resolved.tool_calls == "xml":
        return xml
    native = chat_model.bind_tools(offered)
    if resolved.tool_calls == "native":
        return native
    return AutoCallsModel(native, xml, resolved, refusals)
