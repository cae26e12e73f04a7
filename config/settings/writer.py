"""Change of one key in a configuration file: validated by the schema, written atomically."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import UsageError
from ..security.private_files import lock_folder, replace_file
from ..text import text
from ..yaml.editor import with_value
from ..yaml.reader import decode_utf8, parse_document, read_bytes
from .env_vars import expand_layer
from .keys import is_section, parse_value, split_key
from .loader import build_file_layer, validate_layer
from .sources import Layer, build_layer, find_mistakes, merge_layers, raise_mistakes

_BOM = b"\xef\xbb\xbf"


def set_value(
    file: Path,
    key: str,
    content: str,
    *,
    environ: Mapping[str, str] = os.environ,
    new_mode: int = 0o600,
    validate: Callable[[Layer], None] = lambda _: None,
) -> None:
    """Write the key's value into the file; the rest of the file does not change.

    The text is used as it is for a text key and parsed as YAML for any other. Raises UsageError,
    with nothing written, if the schema rejects the value or the file with it, or if `validate`
    does.
    """
    file = Path(os.path.realpath(file))  # a linked file stays a link
    path = split_key(key)
    if is_section(path):
        raise UsageError(
            text("`{key}` is a section", key=key),
            hint=text("set one key of it: `{key}.NAME`", key=key),
        )
    value = parse_value(path, content)
    wish = build_layer(key, path, value)
    filled, unset = expand_layer(wish, environ)
    raise_mistakes(list((find_mistakes(filled) | unset).values()))
    validate(filled)

    with lock_folder(file.parent):
        _write_change(
            file, wish, lambda content: with_value(content, path, value), environ, new_mode
        )


def create_file(file: Path, content: bytes) -> None:
    """Create a configuration file that only its owner can read.

    Raises UsageError if it exists or cannot be written.
    """
    with lock_folder(file.parent):
        if os.path.lexists(file):
            raise UsageError(
                text("`{file}` already exists", file=file),
                hint="change it with `mcode config set KEY VALUE` or your editor",
            )
        try:
            replace_file(file, content)
        except OSError as error:
            raise UsageError(
                text("`{file}` cannot be written: {reason}", file=file, reason=error.strerror)
            ) from error


def _write_change(
    file: Path,
    wish: Layer,
    changed: Callable[[str], str],
    environ: Mapping[str, str],
    new_mode: int,
) -> None:
    """Write the file's changed text, if its other values are unchanged."""
    content = read_bytes(file) or b""
    old_text = decode_utf8(file, content)
    old = parse_document(file, old_text)
    new_values = merge_layers([build_file_layer(file, old), wish])
    raise_mistakes(validate_layer(Layer(str(file), new_values, old.lines), environ)[1])
    new_text = changed(old_text)
    if not _matches_values(file, new_text, new_values):
        hint = text("change `{file}` by hand", file=file)
        raise UsageError(
            text("`{name}` cannot be set without changing other keys", name=wish.name), hint=hint
        )
    _write_file(file, (_BOM if content.startswith(_BOM) else b"") + new_text.encode(), new_mode)


def _matches_values(file: Path, text: str, values: dict[str, object]) -> bool:
    """Return whether the text has exactly these values; an anchor elsewhere may change others."""
    try:
        return build_file_layer(file, parse_document(file, text)).values == values
    except UsageError:
        return False


def _write_file(file: Path, content: bytes, new_mode: int) -> None:
    """Replace the file and keep its mode; raises UsageError."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else new_mode
        replace_file(file, content, mode)
    except OSError as error:
        raise UsageError(
            text("{file}: cannot be written: {reason}", file=file, reason=error.strerror)
        ) from error
