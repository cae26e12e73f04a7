"""The record of trusted folders: one strict JSON file in the home folder.

An invalid record trusts nothing and is kept for the user to inspect.
"""

import fcntl
import json
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from dataclasses import fields as fields_of
from pathlib import Path
from typing import cast

from ..errors import MaxAgentError
from ..paths import ensure_data_folder
from ..security.file_lock import choose_file_hint
from ..security.private_files import replace_file
from ..security.provenance import Provenance
from ..text import text

# Bytes
MAX_BYTES = 50_000_000


@dataclass(frozen=True)
class Consent:
    """Consent of the user to a folder."""

    since: str
    """Time of consent, in ISO 8601."""
    files: Mapping[str, str]
    """The digest of each file in the folder's inventory, by path."""
    further: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for further instruction files."""
    programs: tuple["ConsentedProgram", ...] | None = None
    """The programs that the user was shown; None in records of before they were shown."""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The beginning of files by path, to show the difference when one changes."""


@dataclass(frozen=True)
class ConsentedProgram:
    """A program as the user was shown it."""

    subject: str
    source: str
    digest: str
    shown: str

    @property
    def provenance(self) -> Provenance:
        """Return what the consent covers."""
        return Provenance(self.subject, self.source, self.digest)


_REQUIRED = {"since", "files"}
_KNOWN = {field.name for field in fields_of(Consent)}
_PROGRAM_FIELDS = {field.name for field in fields_of(ConsentedProgram)}
# By real path of the folder
ConsentsByFolder = dict[str, Consent]


class CorruptTrustStoreError(MaxAgentError):
    """The record is invalid, so nothing is trusted."""


def locate_record(home: Path) -> Path:
    """Return the path of the record; it may not exist yet."""
    return home / "data" / "trust.json"


def read_consents(home: Path) -> ConsentsByFolder:
    """Return the consent for every folder; raises CorruptTrustStoreError."""
    file = locate_record(home)
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ValueError("it is too large")
        return _parse_record(json.loads(content, object_pairs_hook=_reject_duplicates))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise CorruptTrustStoreError(
            text(
                "cannot read the list of trusted folders, `{file}`, so no folder is trusted",
                file=file,
            ),
            hint=text(
                "{error}; run `mv {file} {file2}.damaged`, then trust the folders again with "
                "`mcode trust`",
                error=error,
                file=file,
                file2=file,
            ),
        ) from error


def update_consent(
    home: Path, folder: str, change: Callable[[Consent | None], Consent | None]
) -> None:
    """Record the changed consent to a folder; raises CorruptTrustStoreError, and MaxAgentError.

    The record is locked from the call of `change` with the old consent until its result is stored.
    None means no consent.
    """
    file = ensure_data_folder(home) / locate_record(home).name
    try:
        with _lock_file(file.with_suffix(".lock")):
            record = read_consents(home)
            yes = change(record.pop(folder, None))
            record |= {} if yes is None else {folder: yes}
            written = {name: _to_json(consent) for name, consent in record.items()}
            # a name that is no UTF-8 is escaped, as JSON does it
            content = json.dumps(written, indent=1, ensure_ascii=False).encode(
                errors="backslashreplace"
            )
            if len(content) > MAX_BYTES:
                raise _build_size_error(file)
            replace_file(file, content)
    except OSError as error:
        message = text(
            "cannot write the list of trusted folders, `{file}`: {reason}",
            file=file,
            reason=error.strerror,
        )
        raise MaxAgentError(
            message, hint=choose_file_hint(error, "check its permissions and the free space")
        ) from error


def _build_size_error(file: Path) -> MaxAgentError:
    """Build the error for a record that could not be read back; the old one stays."""
    message = text("the list of trusted folders, `{file}`, would be too large", file=file)
    hint = "take back trust that you do not need: `mcode trust --list`, `mcode trust --revoke`"
    return MaxAgentError(message, hint=hint)


@contextmanager
def _lock_file(path: Path) -> Generator[None]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _parse_record(value: object) -> ConsentsByFolder:
    return {folder: _parse_consent(consent) for folder, consent in _require_mapping(value).items()}


def _parse_consent(value: object) -> Consent:
    fields = _require_mapping(value)
    files, further, texts = (
        _require_mapping(fields.get("files")),
        _require_mapping(fields.get("further", {})),
        _require_mapping(fields.get("texts", {})),
    )
    every = (fields.get("since"), *files.values(), *further.values(), *texts.values())
    if not _REQUIRED <= fields.keys() <= _KNOWN or not all(isinstance(text, str) for text in every):
        raise ValueError("an entry is not a valid consent")
    return Consent(
        str(fields["since"]),
        cast("Mapping[str, str]", files),
        cast("Mapping[str, str]", further),
        _parse_programs(fields["programs"]) if "programs" in fields else None,
        cast("Mapping[str, str]", texts),
    )


def _parse_programs(value: object) -> tuple[ConsentedProgram, ...]:
    if not isinstance(value, list):
        raise ValueError("its programs are not a list")
    programs = list[ConsentedProgram]()
    for item in cast("list[object]", value):
        fields = _require_mapping(item)
        if fields.keys() != _PROGRAM_FIELDS or not all(
            isinstance(text, str) for text in fields.values()
        ):
            raise ValueError("a program is not valid")
        programs.append(ConsentedProgram(**cast("dict[str, str]", fields)))
    return tuple(programs)


def _to_json(consent: Consent) -> dict[str, object]:
    """Return the fields to write; a record without programs stays one."""
    fields = asdict(consent)
    if consent.programs is None:
        del fields["programs"]
    return fields


def _require_mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError("it is not a mapping of folders")
    return cast("dict[str, object]", value)


def _reject_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("it contains a name twice")
    return unique
