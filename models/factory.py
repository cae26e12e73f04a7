"""Chat models of resolved models; each model shares its connections."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..config.errors import UsageError
from ..config.text import text
from .http.learnt_limits import LearntLimits
from .policy.limits import check_request
from .resolver import ResolvedModel
from .xml_calls.refusals import ToolRefusals

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from .http.dialect import Dialect


def open_model(resolved: ResolvedModel, *, role: str = "") -> "BaseChatModel":
    """Open the chat model; `role` selects a part of a script. Makes no request.

    Raises UsageError if the name of the model is still open.
    """
    if not resolved.model:
        provider = resolved.provider.name
        raise UsageError(
            text("`{provider}` needs the name of a model", provider=provider),
            hint=text("set `model.default` to `{provider}/MODEL`", provider=provider),
        )
    check_request(resolved)
    # imported late: langchain-openai alone takes about a second
    if resolved.provider.name == "scripted":
        from .scripted_model import open_script

        return open_script(Path(resolved.model).expanduser(), role)
    if resolved.provider.name == "program":
        from .program.program_model import build_absent_error

        raise build_absent_error(resolved.name)
    if resolved.provider.name == "replay":
        from .cassette.replay_model import open_cassette

        return open_cassette(Path(resolved.model).expanduser())
    if resolved.api == "langchain-openai":
        from .langchain_responses import LangChainResponsesModel

        return LangChainResponsesModel.from_resolved(resolved)
    from .http.chat_model import HttpChatModel

    return HttpChatModel(resolved=resolved, dialect=_open_dialect(resolved))


def _open_dialect(resolved: ResolvedModel) -> "Dialect":
    if resolved.api == "responses":
        from .responses.dialect import ResponsesDialect

        return ResponsesDialect(resolved)
    if resolved.api == "anthropic":
        from .anthropic.dialect import AnthropicDialect

        return AnthropicDialect(resolved)
    from .chat_completions.dialect import ChatCompletionsDialect

    return ChatCompletionsDialect(resolved)


async def close_model(model: "BaseChatModel") -> None:
    """Close the model's connections, if it has any."""
    close = getattr(model, "aclose", None)
    if close:
        await close()


class ModelPool:
    """The open chat models of a run."""

    def __init__(
        self,
        refusals_file: Path | None = None,
        limits_file: Path | None = None,
        program_model: "BaseChatModel | None" = None,
    ) -> None:
        """`program_model` is the chat model object of the program; its connections stay open."""
        self._program_model = program_model
        self.tool_refusals = ToolRefusals(refusals_file)
        """Models whose endpoint has denied tools."""
        self.learnt_limits = LearntLimits(limits_file)
        """What fits models that have refused a request as too long."""
        self._opened: list[tuple[ResolvedModel, str, BaseChatModel]] = []

    def get(self, resolved: ResolvedModel, role: str) -> "BaseChatModel":
        """Return the open model, or open it."""
        if resolved.provider.name == "program":
            return self._open_program_model(resolved)
        # a script has a part for each role; any other model answers all roles
        part = role if resolved.provider.name == "scripted" else ""
        for model, whose, opened in self._opened:
            if (model, whose) == (resolved, part):
                return opened
        chat_model = open_model(resolved, role=part)
        self._opened.append((resolved, part, chat_model))
        return chat_model

    def _open_program_model(self, resolved: ResolvedModel) -> "BaseChatModel":
        from .program.program_model import ProgramModel, build_absent_error, name_program_model

        check_request(resolved)
        model = self._program_model
        if model is None or name_program_model(model) != resolved.name:
            raise build_absent_error(resolved.name)
        return cast("BaseChatModel", ProgramModel(model, resolved.name))

    async def close(self) -> None:
        """Close the connections of all models."""
        for _, _, chat_model in self._opened:
            await close_model(chat_model)
