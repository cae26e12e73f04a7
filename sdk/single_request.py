"""One request for one text, without tools and beside every conversation: a title, a message."""

import asyncio
from dataclasses import replace

from langchain_core.messages import HumanMessage

from ..models.factory import close_model, open_model
from ..models.http.dialect import RequestOptions
from ..models.invoke import invoke_model
from ..models.policy.limits import record_request
from ..models.resolver import ResolvedModel
from .tracing import disable_tracing


async def ask_once(
    model: ResolvedModel, prompt: str, *, role: str, max_tokens: int, seconds: float
) -> str:
    """Return the text of the answer; raises ModelCallError, and TimeoutError after the seconds."""
    chat_model = open_model(replace(model, max_tokens=max_tokens), role=role)
    options = RequestOptions(thinking="off")
    try:
        async with asyncio.timeout(seconds):
            with disable_tracing():
                answer = await invoke_model(chat_model, [HumanMessage(prompt)], options=options)
            record_request(model, answer)
    finally:
        await close_model(chat_model)
    return str(answer.text)
