"""The `webfetch` tool: reads a web page and marks it as text by a stranger."""

import asyncio
import re
import sys
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from ....config.security.private_files import make_private_folder, open_private
from ....config.security.redaction import redact
from ...definition import tool
from ...foreign_text import wrap_foreign_text
from ...process.launcher import capture_output
from ...process.output_capture import make_output_id
from ...result import CallResult, ToolError
from ...tool_run import Run

if TYPE_CHECKING:
    from ...web.client import FetchedPage

# characters of a page that one call shows
MAX_CHARACTERS = 30_000
CONVERTING_SECONDS = 10.0

# what a model would read and no person sees
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


@tool("fetch")
async def webfetch(url: str, start: int = 0, *, run: Run) -> CallResult:
    """Fetch a web page as Markdown or text."""
    if start < 0:
        raise ToolError("`start` counts characters from 0")
    from ...web.client import fetch_page

    fetched = await fetch_page(url)
    return await render_page(fetched, start, run)


async def render_page(fetched: "FetchedPage", start: int, run: Run) -> CallResult:
    """Render a response for the model; raise ToolError if it is not a readable page."""
    from ...web.response_body import classify_content, decode_body

    if fetched.status >= 400:
        raise ToolError(f"`{fetched.address.netloc}` answered {_format_status(fetched.status)}")
    html = classify_content(fetched.content_type) == "html"
    text = await asyncio.to_thread(decode_body, fetched.data, fetched.content_type)
    if html or text.lstrip()[:100].lower().startswith(("<!doctype html", "<html")):
        text = await _convert_to_markdown(text, str(fetched.address), run)
    text = _INVISIBLE.sub("", text.encode(errors="replace").decode())
    text = redact(text)  # before it is cut, lest half of a secret stay
    if start and start >= len(text):
        raise ToolError(f"the page has only {len(text):,} characters")
    facts = {"url": str(fetched.address), "status": fetched.status, "characters": len(text)}
    return CallResult(_wrap_text(fetched, text, start), metadata=facts)


def _wrap_text(fetched: "FetchedPage", text: str, start: int) -> str:
    """Wrap a part of the page in marks."""
    from ...web.response_body import MAX_BYTES

    end = start + MAX_CHARACTERS
    about = [f"{fetched.address} ({_format_status(fetched.status)})"]
    if start or len(text) > end:
        about.append(f"characters {start:,} to {min(end, len(text)):,} of {len(text):,}")
    if len(text) > end:
        about.append(f"it goes on with start={end}")
    if fetched.cut:
        about.append(f"the page is longer than {MAX_BYTES:,} bytes, the rest was not read")
    return f"{'; '.join(about)}\n{wrap_foreign_text(text[start:end], 'the page')}"


async def _convert_to_markdown(html: str, address: str, run: Run) -> str:
    """Convert in a separate process, which can be stopped."""
    from ...web.response_body import MAX_BYTES

    file = run.outputs / f"{make_output_id(run.call_id)}.html"
    program = [
        sys.executable,
        "-P",
        "-m",
        "maxagent.tools.web.html_to_markdown",
        str(file),
        address,
    ]
    try:
        await asyncio.to_thread(_write_html, file, html)
        done = await capture_output(
            program, cwd=run.outputs, timeout=CONVERTING_SECONDS, limit=4 * MAX_BYTES
        )
    finally:
        await asyncio.to_thread(file.unlink, missing_ok=True)
    if done.exit_code or done.timed_out:
        raise ToolError("the page's HTML is too large or too complex to be read")
    return done.text


def _write_html(file: Path, html: str) -> None:
    make_private_folder(file.parent)
    with open(file, "w", encoding="utf-8", errors="replace", opener=open_private) as page:
        page.write(html)


def _format_status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)
