"""JobGraph: the graph of a job, which goes on after a write of another client, such as Studio's.

A node routes by the `Command` that it returns. A person's write is made as some node and has no
`Command`: it keeps what was pending.
"""

# pyright: reportUnknownMemberType=false
# LangGraph's types are only partly known
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from typing import Any, Generic, NoReturn, cast

from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langchain_core.runnables.graph import Graph as Drawing
from langgraph.constants import START
from langgraph.errors import UnknownInterruptError
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langgraph.typing import InputT, StateT
from typing_extensions import override

from ..config.errors import UsageError
from ..config.text import text
from ..nodes.run.context import Context
from ..nodes.run.program_parts import ProgramParts

# LangGraph's names of the functions in a writer's configuration, of the sends, of a run's runtime
READ, SEND, SENDS, RUNTIME = "__pregel_read", "__pregel_send", "__pregel_tasks", "__pregel_runtime"
# and of the switch by which a stale answer is an error; without it nothing happens
STRICT_RESUME = "__pregel_strict_resume"
REQUIRED = ("request", "folder")
INCOMPLETE = "the input has no {keys}; it is `request`, a text, and `folder`, the project's path"
NO_PARTS = ProgramParts()
NO_SYNC = "MaxAgent's graphs run only in an event loop: use `ainvoke` or `astream`"


def label_edges(label: str, nodes: Iterable[str]) -> dict[str, str]:
    """Return the edges to these nodes, each with this label."""
    return dict.fromkeys(nodes, label)


class PendingWriter(Runnable[Any, Any]):
    """The last writer of a node: after a write without a `Command` it keeps what was pending.

    LangGraph clears the pending nodes and sends at each write, so they are written again. In a run
    each node returns a `Command`.
    """

    def __init__(self, triggers: Sequence[str]) -> None:
        self._triggers = [*triggers]

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Write again what was pending, unless the node routes."""
        if isinstance(input, Command):
            return cast("Command[Any]", input)
        functions = (config or {}).get("configurable", {})
        pending: dict[str, Any] = functions[READ]([*self._triggers, SENDS])
        sends = pending.pop(SENDS, [])
        functions[SEND]([*pending.items(), *((SENDS, send) for send in sends)])
        return input

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Do the same; nothing in it waits."""
        return self.invoke(input, config)


class InputWriter(Runnable[Any, Any]):
    """The last writer of the start: checks a run's input, which a person's write only completes.

    It also records the program's model in the options that name none.
    """

    def __init__(self, model: str) -> None:
        self._model = model

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Write what the person's write left out; raise UsageError for an incomplete input."""
        functions = (config or {}).get("configurable", {})
        written: Mapping[str, Any] = input or {}
        task: Mapping[str, Any] = functions[READ]([START]).get(START) or {}
        functions[SEND]([(key, task[key]) for key in task if key not in written])
        state = {**functions[READ]([*REQUIRED]), **task, **written}
        if missing := [key for key in REQUIRED if not state.get(key)]:
            raise UsageError(
                text(INCOMPLETE, keys=", ".join(f"`{key}`" for key in missing)),
                hint="a thread that has begun knows its folder; `options` is optional",
            )
        options: Any = {**functions[READ](["options"]), **state}.get("options") or {}
        if not isinstance(options, Mapping):
            raise UsageError("`options` is not a JSON object", hint="leave it out, or name options")
        if self._model and not options.get("model"):
            functions[SEND]([("options", {**options, "model": self._model})])
        return input

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Do the same; nothing in it waits."""
        return self.invoke(input, config)


class JobGraph(StateGraph[StateT, Context, InputT, StateT], Generic[StateT, InputT]):
    """A StateGraph that goes on after a person's write, and draws its main line."""

    def __init__(
        self,
        state_schema: type[StateT],
        input_schema: type[InputT],
        main_line: Sequence[str],
        parts: ProgramParts = NO_PARTS,
    ) -> None:
        super().__init__(state_schema, Context, input_schema=input_schema)
        self.main_line = {*pairwise(main_line)}
        self.parts = parts

    @override
    def compile(self, *args: Any, **kwargs: Any) -> "CompiledJobGraph[StateT, InputT]":
        """Compile the graph as LangGraph does, with the last writers."""
        compiled = super().compile(*args, **kwargs)
        keep = PendingWriter([at for node in compiled.nodes.values() for at in node.triggers])
        for name, node in compiled.nodes.items():
            last = InputWriter(self.parts.model_name) if name == START else keep
            compiled.nodes[name] = node.copy({"writers": [*node.writers, last]})
        # LangGraph's `compile` names its own class, and sets what a copy would lose
        compiled.__class__ = CompiledJobGraph
        return cast("CompiledJobGraph[StateT, InputT]", compiled)


class CompiledJobGraph(
    CompiledStateGraph[StateT, Context, InputT, StateT], Generic[StateT, InputT]
):
    """The graph of a job as LangGraph runs it, also without a context."""

    @override
    def get_graph(self, config: RunnableConfig | None = None, *, xray: Any = False) -> Drawing:
        """Draw the graph; the edges of the main line are solid."""
        return self._draw_main_line(super().get_graph(config, xray=xray))

    @override
    async def aget_graph(
        self, config: RunnableConfig | None = None, *, xray: Any = False
    ) -> Drawing:
        """Draw the graph as `get_graph` does."""
        return self._draw_main_line(await super().aget_graph(config, xray=xray))

    def _draw_main_line(self, drawing: Drawing) -> Drawing:
        main_line = cast(JobGraph[StateT, InputT], self.builder).main_line
        drawing.edges[:] = [
            edge._replace(conditional=edge.conditional and (edge[0], edge[1]) not in main_line)
            for edge in drawing.edges
        ]
        return drawing

    @override
    def stream(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise UsageError: the nodes are asynchronous."""
        raise UsageError(
            NO_SYNC, hint="without an event loop of your own use `maxagent.SyncRunner`"
        )

    @override
    def astream(
        self,
        input: Any,
        config: RunnableConfig | None = None,
        *,
        context: Any = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Stream a run; without a context the parent's holds, or one that ends with the run."""
        around = ensure_config(config).get("configurable", {}).get(RUNTIME)
        typed = context if isinstance(context, Context) else getattr(around, "context", None)
        parts = cast(JobGraph[StateT, InputT], self.builder).parts
        if isinstance(typed, Context) and parts.is_empty:
            return super().astream(input, config, context=context, **kwargs)
        schema: Any = self.context_schema
        fields = cast("Mapping[str, Any]", context or {})
        pool: dict[str, Any] = {} if parts.is_empty else {"pool": parts.create_pool()}
        own: Context = (
            replace(typed, **pool) if isinstance(typed, Context) else schema(**{**pool, **fields})
        )
        return self._stream_alone(input, config, own, kwargs)

    async def _stream_alone(
        self, input: Any, config: RunnableConfig | None, context: Context, options: dict[str, Any]
    ) -> AsyncGenerator[Any]:
        stream = super().astream(input, _with_strict_resume(config), context=context, **options)
        try:
            async with aclosing(cast("AsyncGenerator[Any]", stream)) as parts:
                async for part in parts:
                    yield part
        except UnknownInterruptError as error:
            raise _explain_unknown_question(error) from error
        finally:
            await context.pool.close()


def _with_strict_resume(config: RunnableConfig | None) -> RunnableConfig:
    """Return the configuration in which an answer to a question that is not open is an error."""
    base = config or {}
    return {**base, "configurable": {STRICT_RESUME: True, **base.get("configurable", {})}}


def _explain_unknown_question(error: UnknownInterruptError) -> UsageError:
    open_ids = ", ".join(f"`{name}`" for name in error.pending_ids)
    hint = text("answer by ID, `Command(resume={{ID: ANSWER}})`; open: {ids}", ids=open_ids)
    if error.reason != "not_pending":
        return UsageError("the answer names none of the open questions", hint=hint)
    return UsageError(
        text("the question `{question}` is not open", question=error.interrupt_ids[0]),
        hint=hint if error.pending_ids else "the thread asks nothing",
    )
