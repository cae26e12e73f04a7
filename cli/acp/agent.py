"""The agent's side of the protocol: what each request of a client does."""

import asyncio
import os
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ...config import paths
from ...config.crash_report import describe_error
from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.index import ThreadIndex
from ...memory.threads.thread_id import create_thread_id
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..lazy_imports import without_collector
from .capabilities import LOGIN, ClientFeatures, build_initialize_result, read_client
from .connection import Connection
from .frames import INTERNAL_ERROR, INVALID_PARAMS, UNKNOWN_METHOD, RpcError
from .params import as_object, read_list, require_text

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow
    from ...sdk.runner import Runner
    from .prompt_content import PromptContent
    from .session import AcpSession
    from .updates import UpdateWriter

AUTH_REQUIRED, NOT_FOUND = -32000, -32002
# Sessions in one answer to `session/list`
PAGE = 50
# Digits of a cursor that are read; no list is that long
MAX_DIGITS = 18

Method = Callable[[dict[str, Any]], Awaitable[Any]]


class AcpAgent:
    """Serves one client; imports LangGraph with the first prompt."""

    def __init__(self, frames: Iterator[bytes], write_fd: int, client: ClientFeatures) -> None:
        self.connection = Connection(self._handle, _build_error, frames, write_fd)
        self.home = paths.locate_home()
        self.version, self._capabilities = client
        self._sessions: dict[str, AcpSession] = {}
        self._opening: asyncio.Task[Runner] | None = None
        self._background = set[asyncio.Task[None]]()
        self._index = ThreadIndex(self.home)
        self._images: TemporaryDirectory[str] | None = None

    async def serve(self) -> None:
        """Serve until the client is gone; what runs then is stopped, and can be resumed."""
        try:
            await self.connection.serve()
        finally:
            await self._stop_work()
            await self.connection.close()
            if self._images:
                self._images.cleanup()
            if self._opening:
                runner = await self._opening
                await runner.__aexit__(None, None, None)

    def _open_image_folder(self) -> Path:
        """Return where images are written; it exists from the first on: editors kill agents."""
        if self._images is None:
            self._images = TemporaryDirectory(prefix="mcode-", ignore_cleanup_errors=True)
        return Path(self._images.name)

    async def _stop_work(self) -> None:
        """End what goes on, first what could begin another turn.

        A turn that still writes would wait for ever for the database of a closed runner.
        """
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        turns = [session.stop() for session in self._sessions.values()]
        await asyncio.gather(*turns, return_exceptions=True)

    @property
    def can_fill_forms(self) -> bool:
        """Whether the client shows elicitations."""
        return "form" in as_object(self._capabilities.get("elicitation"))

    def describe_failure(self, error: Exception) -> dict[str, Any]:
        """Return an error as the protocol has it."""
        return (error if isinstance(error, RpcError) else _build_error(error)).as_json()

    async def open_runner(self) -> "Runner":
        """Return the runner, opened by the first call."""
        self._opening = self._opening or asyncio.ensure_future(self._enter_runner())
        return await asyncio.shield(self._opening)

    async def _enter_runner(self) -> "Runner":
        runner_type = await asyncio.to_thread(_import_runner)
        return await runner_type(home=self.home).__aenter__()

    def create_writer(self, session: "AcpSession") -> "UpdateWriter":
        """Return what turns a session's events into updates."""
        from .updates import UpdateWriter

        features = as_object(self._capabilities.get("session"))
        return UpdateWriter(
            self.version,
            session.thread_id,
            session.folder,
            notices=self.version > 1 or "notices" in features,
            compactions=self.version > 1 or "compaction" in features,
        )

    async def _handle(self, method: str, params: dict[str, Any]) -> object:
        common: dict[str, Method] = {
            "initialize": self._initialize,
            "session/new": self._create,
            "session/list": self._list,
            "session/resume": self._resume,
            "session/fork": self._fork,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/set_title": self._set_title,
            "session/set_config_option": self._set_option,
            "session/prompt": self._prompt,
            "session/cancel": self._cancel,
            "$/cancel_request": self._cancel_request,
        }
        first: dict[str, Method] = {
            "authenticate": self._log_in,
            "logout": self._log_out,
            "session/load": self._load,
            "session/set_mode": self._set_mode,
            "session/set_model": self._set_model,
        }
        second: dict[str, Method] = {"auth/login": self._log_in, "auth/logout": self._log_out}
        handler = (common | (first if self.version == 1 else second)).get(method)
        if handler is None:
            raise RpcError(UNKNOWN_METHOD, f"there is no method `{method}`")
        return await handler(params)

    async def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        self.version, self._capabilities = read_client(params)
        return build_initialize_result(self.version)

    async def _log_in(self, params: dict[str, Any]) -> None:
        """Check that a key is there: the login itself happens in a terminal."""
        if require_text(params, "methodId") != LOGIN:
            raise RpcError(INVALID_PARAMS, "there is no such way to log in")
        choices = await asyncio.to_thread(self._read_choices, os.getcwd())
        if not choices.model:
            raise RpcError(AUTH_REQUIRED, t("acp.log_in"))

    async def _log_out(self, params: dict[str, Any]) -> None:
        """Delete the stored key or login; of several the user names one, in a terminal."""
        from ...models.auth.credentials import delete_credential, read_credentials

        names = await asyncio.to_thread(lambda: list(read_credentials(self.home)))
        if len(names) > 1:
            raise UsageError(
                "several keys are stored", hint=text("name one: {names}", names=", ".join(names))
            )
        for name in names:
            await asyncio.to_thread(delete_credential, self.home, name)

    async def _create(self, params: dict[str, Any]) -> dict[str, Any]:
        session = await self._open_session(create_thread_id(), params, None)
        self._begin(self._greet(session))
        return {"sessionId": session.thread_id, **session.describe_state()}

    async def _load(self, params: dict[str, Any]) -> dict[str, Any]:
        session = await self._reopen(params)
        await self._replay(session)
        self._begin(self._greet(session))
        return session.describe_state()

    async def _resume(self, params: dict[str, Any]) -> dict[str, Any]:
        session = await self._reopen(params)
        if as_object(params.get("replayFrom")).get("type") == "start":
            await self._replay(session)
        self._begin(self._greet(session))
        return session.describe_state()

    async def _fork(self, params: dict[str, Any]) -> dict[str, Any]:
        row = await self._find_thread(require_text(params, "sessionId"))
        await self.open_runner()
        from ...sdk.threads.time_travel import copy_thread

        forked = await copy_thread(row, self.home)
        session = await self._open_session(forked.thread_id, {"cwd": row.folder, **params}, forked)
        self._begin(self._greet(session))
        return {"sessionId": session.thread_id, **session.describe_state()}

    async def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        folder = params.get("cwd")
        only = Path(folder) if isinstance(folder, str) and folder else None
        cursor = params.get("cursor")
        digits = cursor[:MAX_DIGITS] if isinstance(cursor, str) else ""
        start = int(digits) if digits.isdecimal() else 0
        rows = await asyncio.to_thread(self._index.list, only, limit=start + PAGE + 1)
        page = [_describe_thread(row) for row in rows[start : start + PAGE]]
        more = {"nextCursor": str(start + PAGE)} if len(rows) > start + PAGE else {}
        return {"sessions": page, **more}

    async def _close(self, params: dict[str, Any]) -> None:
        thread_id = require_text(params, "sessionId")
        if session := self._sessions.get(thread_id):
            await session.stop()
            self._sessions.pop(thread_id, None)

    async def _delete(self, params: dict[str, Any]) -> None:
        row = await self._find_thread(require_text(params, "sessionId"))
        if (session := self._sessions.get(row.thread_id)) and session.is_running:
            raise UsageError("the conversation runs", hint="cancel its turn first")
        await asyncio.to_thread(self._index.delete, row.thread_id)
        self._sessions.pop(row.thread_id, None)

    async def _set_title(self, params: dict[str, Any]) -> None:
        row = await self._find_thread(require_text(params, "sessionId"))
        title = require_text(params, "title")
        await asyncio.to_thread(self._index.set_title, row.thread_id, title)

    async def _set_option(self, params: dict[str, Any]) -> dict[str, Any]:
        session = self._get_session(params)
        await session.choose(require_text(params, "configId"), require_text(params, "value"))
        return {"configOptions": session.describe_state()["configOptions"]}

    async def _set_mode(self, params: dict[str, Any]) -> None:
        await self._get_session(params).choose("mode", require_text(params, "modeId"))

    async def _set_model(self, params: dict[str, Any]) -> None:
        await self._get_session(params).choose("model", require_text(params, "modelId"))

    async def _cancel(self, params: dict[str, Any]) -> None:
        self._get_session(params).cancel()

    async def _cancel_request(self, params: dict[str, Any]) -> None:
        request_id = params.get("requestId")
        if isinstance(request_id, str | int):
            self.connection.cancel_request(request_id)

    async def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        """Take a turn; the second version answers at once, and reports the end as a state."""
        from .prompt_content import read_prompt

        session = self._get_session(params)
        blocks, images = read_list(params, "prompt"), self._open_image_folder
        prompt = await asyncio.to_thread(read_prompt, blocks, session.folder, images)
        if self.version == 1:
            reason = await self._take_turn(session, prompt)
            return {"stopReason": reason, **session.describe_usage()}
        message_id = str(uuid.uuid4())
        self._begin(self._report_turn(session, prompt, message_id, blocks))
        return {"messageId": message_id}

    async def _report_turn(
        self, session: "AcpSession", prompt: "PromptContent", message_id: str, blocks: list[Any]
    ) -> None:
        """Take a turn whose request is answered already; its end is a state."""
        update = {"sessionUpdate": "user_message", "messageId": message_id, "content": blocks}
        await session.send(update)
        await self._take_turn(session, prompt)

    async def _take_turn(self, session: "AcpSession", prompt: "PromptContent") -> str:
        from .slash_commands import is_command, run_command

        is_message = not prompt.aside and not await asyncio.to_thread(is_command, session, prompt)
        while session.is_running:
            with suppress(UsageError):  # the turn has not begun, or is at its end
                if is_message:
                    await session.steer(prompt.words)
                    return await session.wait_for_turn()
            await session.wait_until_idle()
        return await session.run(run_command(session, prompt))

    async def _reopen(self, params: dict[str, Any]) -> "AcpSession":
        thread_id = require_text(params, "sessionId")
        row = await self._find_thread(thread_id)
        if (session := self._sessions.get(thread_id)) and session.is_running:
            return session
        return await self._open_session(thread_id, params, row)

    async def _open_session(
        self, thread_id: str, params: Mapping[str, Any], row: "ThreadRow | None"
    ) -> "AcpSession":
        from .client_offer import read_folders, read_servers
        from .session import AcpSession

        folder = row.folder if row else _require_folder(params)
        choices = await asyncio.to_thread(self._read_choices, folder)
        servers = read_servers(read_list(params, "mcpServers"))
        folders = read_folders(read_list(params, "additionalDirectories"), Path(folder))
        session = AcpSession(self, thread_id, folder, choices, row, servers, folders)
        self._sessions[thread_id] = session
        return session

    def _read_choices(self, folder: str) -> Any:
        from ...config.trust.decision import grant_if_empty
        from .config_options import Choices

        grant_if_empty(Path(folder), self.home)
        return Choices(Path(folder), self.home, {**os.environ, "MAXAGENT_HOME": str(self.home)})

    async def _greet(self, session: "AcpSession") -> None:
        """Tell the commands, and offer again what the thread waits for."""
        from .slash_commands import list_commands

        commands = await asyncio.to_thread(list_commands, session.folder, self.home, self.version)
        update = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
        await session.send(update)
        if reason := await asyncio.to_thread(session.describe_unused):
            await session.notify(reason, "warning")
        if session.row and session.row.status == "waiting" and not session.is_running:
            await session.run(session.continue_waiting())
        elif session.row and session.row.status == "interrupted":
            await session.notify(t("acp.interrupted"))

    async def _replay(self, session: "AcpSession") -> None:
        from ...sdk.threads.transcript import read_transcript
        from .transcript import render_transcript

        row = session.row
        if row is None:
            return
        entries = await asyncio.to_thread(read_transcript, row, self.home)
        for update in render_transcript(entries, self.create_writer(session)):
            await session.send(update)

    async def _find_thread(self, thread_id: str) -> "ThreadRow":
        try:
            return await asyncio.to_thread(self._index.get, thread_id)
        except UsageError as error:
            data = {"sessionId": thread_id}
            raise RpcError(NOT_FOUND, translate(error.message), data) from None

    def _get_session(self, params: Mapping[str, Any]) -> "AcpSession":
        thread_id = require_text(params, "sessionId")
        session = self._sessions.get(thread_id)
        if session is None:
            data = {"sessionId": thread_id}
            raise RpcError(NOT_FOUND, f"no session `{thread_id}` is open", data)
        return session

    def _begin(self, work: Awaitable[None]) -> None:
        """Begin what goes on after the answer."""
        task = asyncio.ensure_future(_ignore_errors(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def _ignore_errors(work: Awaitable[None]) -> None:
    try:
        await work
    except Exception as error:
        describe_error(error, paths.locate_home())  # writes down a crash of ours


def _import_runner() -> "type[Runner]":
    with without_collector():
        from ...sdk.runner import Runner
    return Runner


def _describe_thread(row: "ThreadRow") -> dict[str, Any]:
    title = {"title": row.name or row.title, "updatedAt": row.updated_at}
    return {"sessionId": row.thread_id, "cwd": row.folder, **title}


def _require_folder(params: Mapping[str, Any]) -> str:
    folder = require_text(params, "cwd")
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        raise RpcError(INVALID_PARAMS, f"`cwd` must be the absolute path of a folder: {folder}")
    return os.path.realpath(folder)


def _build_error(error: Exception) -> RpcError:
    """Return any error as an answer: what happened, and what to do."""
    described = describe_error(error, paths.locate_home())
    code = INVALID_PARAMS if isinstance(described, UsageError) else INTERNAL_ERROR
    message, hint = translate(described.message), translate(described.hint)
    return RpcError(code, f"{message}\n{hint}" if hint else message)
