"""What a page is sent, in the language of its request."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from maxagent.cli.i18n.catalogs import get_language, use_request_language
from maxagent.cli.web.page_words import collect_words, translate_message
from maxagent.sdk.streams.event_stream import StoredMessage, encode


@pytest.fixture
def chinese() -> Iterator[None]:
    use_request_language("zh")
    yield
    use_request_language("")


def build(kind: str, **data: Any) -> StoredMessage:
    return StoredMessage(3, kind, encode({"type": kind, "data": data}))


def read(message: StoredMessage) -> Any:
    return json.loads(translate_message(message).content)["data"]


@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        ("notice", {"text": "the server failed"}, "text"),
        ("retry", {"reason": "the server failed"}, "reason"),
        ("model_changed", {"reason": "the server failed"}, "reason"),
        ("hook", {"reason": "the server failed"}, "reason"),
        ("tool_result", {"error": "the server failed\nthe server failed"}, "error"),
        ("error", {"message": "the server failed", "hint": "it may have been deleted"}, "message"),
    ],
)
def test_own_sentences_are_translated(
    chinese: None, kind: str, data: dict[str, str], field: str
) -> None:
    assert read(build(kind, **data))[field].startswith("服务器出错")


@pytest.mark.parametrize("kind", ["output", "thinking", "user_message", "tool_output", "plan"])
def test_words_of_others_stay(chinese: None, kind: str) -> None:
    message = build(kind, text="the server failed")
    assert translate_message(message) is message


@pytest.mark.parametrize(("ok", "is_same"), [(False, False), (True, True), (None, True)])
def test_failed_calls_of_a_history_are_translated(
    chinese: None, ok: bool | None, is_same: bool
) -> None:
    entry = {"kind": "call", "ok": ok, "result": "the server failed\nthe server failed"}
    [translated] = read(build("history", entries=[entry]))["entries"]
    assert (translated == entry) is is_same
    assert translated["result"].endswith("\nthe server failed")


def test_english_stays_as_it_is() -> None:
    message = build("notice", text="the server failed")
    use_request_language("en")
    assert translate_message(message) is message
    use_request_language("")


def test_each_request_has_its_own_language() -> None:
    async def answer(language: str) -> tuple[str, str]:
        use_request_language(language)
        await asyncio.sleep(0)
        return get_language(), await asyncio.to_thread(lambda: collect_words()["stop"])

    async def answer_all() -> list[tuple[str, str]]:
        return await asyncio.gather(answer("zh"), answer("en"), answer("zh"))

    chinese = ("zh", "停止")
    assert asyncio.run(answer_all()) == [chinese, ("en", "Stop"), chinese]
