"""How an agent's model is offered the tools: natively, or as XML in the text."""

from collections.abc import Sequence

from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from ...models.factory import ModelPool
from ...models.resolver import ResolvedModel
from ...models.xml_calls.known_tools import KnownTools
from ...models.xml_calls.model import AutoCallsModel, XmlCallsModel
from ...tools import aliases


def list_known_tools(tools: Sequence[BaseTool]) -> KnownTools:
    """Return the tools that a call in a text can name, by every alias."""
    return KnownTools(tools, aliases.TOOLS, aliases.ARGUMENTS)


def bind_tools(
    chat_model: BaseChatModel,
    offered: Sequence[BaseTool],
    known: KnownTools,
    resolved: ResolvedModel,
    pool: ModelPool,
) -> Runnable[LanguageModelInput, AIMessage]:
    """Return the model with these tools, in the form that it understands."""
    xml = XmlCallsModel(chat_model, known, [tool.name for tool in offered])
    if resolved.tool_calls == "xml":
        return xml
    native = chat_model.bind_tools(offered)
    if resolved.tool_calls == "native":
        return native
    return AutoCallsModel(native, xml, resolved, pool.tool_refusals)
