"""The task on a real project: what is broken in itsdangerous 2.2.0, and the model's turns.

Key rotation and the refusal of signatures from the future are broken; besides repairing both, a
`leeway` for clocks that differ is added, with tests and documentation. The coder forgets one of
the repairs at first, and the tester adds a test.
"""

from typing import Any

Call = dict[str, Any]

PACKAGE, VERSION = "itsdangerous", "2.2.0"
NEEDS = ("pytest", "freezegun")
"""What its tests need."""
REQUEST = """Signatures made with an older key of a list are refused, and those from the future
are taken. Repair both. Then let timed signatures have a `leeway`: seconds by which clocks may
differ, for unsign, validate, loads and loads_unsafe; with tests, documentation and changelog."""

SIGNER, TIMED = "src/itsdangerous/signer.py", "src/itsdangerous/timed.py"
TESTS = "tests/test_itsdangerous/test_timed.py"
ROTATION = "for secret_key in reversed(self.secret_keys):"
NO_ROTATION = "for secret_key in self.secret_keys[-1:]:"
FUTURE = """
            if age < 0:
                raise SignatureExpired(
                    f"Signature age {age} < 0 seconds",
                    payload=value,
                    date_signed=self.timestamp_to_datetime(ts_int),
                )
"""
BREAKS = [(SIGNER, ROTATION, NO_ROTATION), (TIMED, FUTURE, "")]
"""File, what is taken out, what is put in its place."""

_MAX_AGE = "max_age: int | None = None"
_OLD_CHECK = "            if age > max_age:\n"
_NEW_CHECK = "            if age > max_age + leeway:\n"
_EXPIRED = """                raise SignatureExpired(
                    f"Signature age {age} > {max_age} seconds",
                    payload=value,
                    date_signed=self.timestamp_to_datetime(ts_int),
                )
"""
_LEEWAY_FUTURE = FUTURE.replace("age < 0:", "age < -leeway:")
_ONE, _TWO, _BOTH = (
    f"        return_timestamp: {kind},\n    ) -> {result}"
    for kind, result in (
        ("t.Literal[False] = False", "bytes: ..."),
        ("t.Literal[True] = True", "tuple[bytes, datetime]: ..."),
        ("bool = False", "tuple[bytes, datetime] | bytes:"),
    )
)
_DOC = "        :class:`datetime.datetime` object in UTC.\n\n        .. versionchanged:: 2.0"
_NEW_DOC = _DOC.replace("UTC.\n", "UTC. Clocks may differ by ``leeway`` seconds.\n")
_VALIDATE = f"def validate(self, signed_value: str | bytes, {_MAX_AGE}) -> bool:"
_NEW_VALIDATE = f"""def validate(
        self, signed_value: str | bytes, {_MAX_AGE}, leeway: int = 0
    ) -> bool:"""
_LOADS = "        salt: str | bytes | None = None,\n    ) -> t.Any:"
_UNSAFE = "        salt: str | bytes | None = None,\n    ) -> tuple[bool, t.Any]:"
_TIMED_EDITS = [
    *((old, old.replace(",\n", ",\n        leeway: int = 0,\n", 1)) for old in (_ONE, _TWO, _BOTH)),
    (_DOC, _NEW_DOC),
    (_OLD_CHECK, _NEW_CHECK),
    (_VALIDATE, _NEW_VALIDATE),
    ("self.unsign(signed_value, max_age=max_age)",
     "self.unsign(signed_value, max_age=max_age, leeway=leeway)"),
    *((old, old.replace(",\n", ",\n        leeway: int = 0,\n", 1)) for old in (_LOADS, _UNSAFE)),
    ("s, max_age=max_age, return_timestamp=True",
     "s, max_age=max_age, return_timestamp=True, leeway=leeway"),
    ('{"max_age": max_age}', '{"max_age": max_age, "leeway": leeway}'),
]  # fmt: skip
_AFTER_TEST = """        assert isinstance(exc_info.value.date_signed, datetime)

    def test_sig_error"""
_SIGNER_TESTS = """        assert isinstance(exc_info.value.date_signed, datetime)

    @pytest.mark.parametrize("seconds", (12, -2))
    def test_leeway(self, signer, freeze, seconds):
        signed = signer.sign("value")
        freeze.tick(timedelta(seconds=seconds))
        assert not signer.validate(signed, max_age=10)
        assert signer.unsign(signed, max_age=10, leeway=2) == b"value"
        assert not signer.validate(signed, max_age=10, leeway=1)

    def test_sig_error"""
_AFTER_LOADS = "    def test_return_payload(self, serializer, value, ts):\n"
_LOADS_TEST = """    def test_leeway(self, serializer, value, freeze):
        signed = serializer.dumps(value)
        freeze.tick(timedelta(seconds=12))
        assert serializer.loads(signed, max_age=10, leeway=2) == value

        with pytest.raises(SignatureExpired):
            serializer.loads(signed, max_age=10, leeway=1)

"""
_UNSAFE_TEST = """    def test_leeway_unsafe(self, serializer, value, freeze):
        signed = serializer.dumps(value)
        freeze.tick(timedelta(seconds=12))
        assert serializer.loads_unsafe(signed, max_age=10, leeway=2) == (True, value)
        assert serializer.loads_unsafe(signed, max_age=10, leeway=1) == (False, value)

"""
_RST = ".. autoclass:: TimestampSigner\n"
_NEW_RST = f"""Clocks of two machines differ. With ``leeway`` a signature may be that many
seconds older than ``max_age``, or come from that far in the future.

{_RST}"""
_CHANGES = "Version 2.2.0\n-------------\n"
_NEW_CHANGES = f"""Version 2.3.0
-------------

Unreleased

-   Timed signatures take a ``leeway`` for clocks that differ.


{_CHANGES}"""
_SUITE = "python -m pytest -q -p no:cacheprovider"
_TRY = """python - <<'END'
from itsdangerous import TimestampSigner
signer = TimestampSigner("key")
print(signer.unsign(signer.sign("it works"), max_age=0, leeway=5))
END"""


def turns() -> list[Call]:
    """All answers of the model, in order, as the server gives them."""
    plan = {"text": f"Repair {SIGNER} and {TIMED}, then add `leeway` to all four, with tests."}
    accepted = {"text": "Accepted: rotation, future and leeway are all covered by tests."}
    return [*_looking(), plan, *_working(), *_mending(), *_judging(), accepted]


def _looking() -> list[Call]:
    source = ["serializer", "exc", "encoding", "url_safe"]
    tests = ["signer", "serializer", "url_safe"]
    return [
        _turn(_call("list_files", recursive=True), _call("glob", pattern="tests/**/*.py")),
        _turn(_call("git_log"), _call("git_branch"), _call("git_status")),
        _turn(_call("grep", regex="secret_keys"), _call("grep", regex=r"\bage\b", path="src")),
        _turn(_read(SIGNER), _read(TIMED)),
        _turn(*(_read(f"src/itsdangerous/{name}.py") for name in source)),
        _turn(*(_read(TESTS.replace("timed", name)) for name in tests), _read(TESTS)),
        _turn(_read("pyproject.toml"), _read("CHANGES.rst"), _read("docs/timed.rst")),
    ]


def _working() -> list[Call]:
    todos = ["Key rotation", "Signatures from the future", "Leeway", "Tests", "Documentation"]
    rows = [{"id": str(number), "content": text} for number, text in enumerate(todos, 1)]
    return [
        _turn(_call("todowrite", todos=rows)),
        _turn(_call("run_command", command=_SUITE)),
        _turn(_read(SIGNER), _edit(SIGNER, NO_ROTATION, ROTATION)),
        _turn(_call("run_command", command=f"{_SUITE} {TESTS.replace('timed', 'signer')}")),
        _turn(_done("1"), _read(TIMED)),
        *(_turn(_edit(TIMED, old, new)) for old, new in _TIMED_EDITS),
        _turn(_call("grep", regex="leeway", path="src"), _done("3")),
        _turn(_edit(TESTS, _AFTER_TEST, _SIGNER_TESTS)),
        _turn(_edit(TESTS, _AFTER_LOADS, _LOADS_TEST + _AFTER_LOADS), _done("4")),
        _turn(_edit("docs/timed.rst", _RST, _NEW_RST)),
        _turn(_edit("CHANGES.rst", _CHANGES, _NEW_CHANGES), _done("5")),
        _turn(_call("run_command", command=_TRY), _call("git_diff"), _call("git_status")),
        _ready(),
        _ready(),  # asked about the open task
    ]


def _mending() -> list[Call]:
    """What the red tests of the graph make the coder do."""
    return [
        _turn(_call("run_command", command=f"{_SUITE} -k future"), _call("todoread")),
        _turn(_call("grep", regex="_age", path=TIMED)),
        _turn(_edit(TIMED, _EXPIRED, _EXPIRED + _LEEWAY_FUTURE), _done("2")),
        _turn(_call("run_command", command=_SUITE), _call("todoclear")),
        _ready(),
    ]


def _judging() -> list[Call]:
    return [
        _turn(_call("git_diff", path="src"), _call("grep", regex="leeway", path="tests")),
        _turn(_edit(TESTS, _AFTER_LOADS, _UNSAFE_TEST + _AFTER_LOADS)),
        _turn(_call("run_command", command=f"{_SUITE} -k leeway")),
    ]


def _turn(*calls: Call) -> Call:
    return {"text": "Next.", "tool_calls": list(calls)}


def _call(name: str, **args: object) -> Call:
    return {"name": name, "args": args}


def _read(path: str) -> Call:
    return _call("read_file", path=path)


def _edit(path: str, old: str, new: str) -> Call:
    return _call("edit", file_path=path, old_string=old, new_string=new)


def _done(number: str) -> Call:
    return _call("todowrite", action="mark_completed", todos=[number])


def _ready() -> Call:
    return _turn(_call("attempt_completion", result="Rotation, future and leeway are in place."))
