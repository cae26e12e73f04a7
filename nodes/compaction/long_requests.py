"""Messages of the user that are too long to be sent, kept where `command_output` reads them."""

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from langchain_core.messages import AnyMessage

from ...config.security.private_files import make_private_folder, replace_file
from ...tools.process.output_capture import get_output_path, make_output_id

# `command_output` shows less of a longer line
MAX_LINE_LENGTH = 1_500


def store_requests(
    messages: Iterable[AnyMessage], message_ids: Iterable[str], outputs: Path
) -> Mapping[str, str]:
    """Store the wanted messages; return the ID of the output of each. Blocks on the disk."""
    by_id = {str(message.id): message for message in messages}
    stored = dict[str, str]()
    for name in message_ids:
        make_private_folder(outputs)
        identity = make_output_id(f"message-{name}")
        words = _wrap_lines(str(by_id[name].text))
        replace_file(get_output_path(outputs, identity), words.encode("utf-8", "replace"))
        stored[name] = identity
    return stored


def _wrap_lines(words: str) -> str:
    return "\n".join(
        part
        for line in words.split("\n")
        for part in (
            textwrap.wrap(line, MAX_LINE_LENGTH // 3) if len(line) > MAX_LINE_LENGTH else [line]
        )
    )
