"""The same detector in each kind of place: what is shown, kept, sent or given away."""

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from secret_forms import SecretForm, list_forms

from maxagent.cli.commands.doctor.checks import DoctorCheck, DoctorEnvironment
from maxagent.cli.commands.doctor.report import build_report
from maxagent.config.crash_report import record_crash
from maxagent.config.debug_log import close_debug_log, find_debug_logs, open_debug_log
from maxagent.config.security.redaction import redact_json
from maxagent.config.settings.loader import load_settings
from maxagent.memory.cards.admission import CardRefusedError, check_content
from maxagent.sdk.transfer.exporter import _redact_bytes  # pyright: ignore[reportPrivateUsage]
from maxagent.tools.mcp.secret_values import format_address
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.process.stream_redaction import RedactingSink

NAMES = (
    ("header of GitHub", "query", "GitLab runner", "SendGrid", "header of a key")
    + ("URL with a token", "option", "curl -u", "Slack webhook", "AWS secret")
)  # fmt: skip
FORMS = [form for form in list_forms() if form.name in NAMES]


def report_settings(form: SecretForm, home: Path) -> str:
    hook = {"hooks": {"before_tool": [{"command": form.text}]}}
    (home / "config.yaml").write_text(json.dumps(hook))
    environment = DoctorEnvironment({}, home, load_settings(home, home, environ={}), None)
    report = build_report([DoctorCheck("hooks", "ok", form.text)], environment)
    assert report.count("[secret: ") > 1
    return report


def list_server(form: SecretForm, _: Path) -> str:
    return format_address(McpServer("s", "stdio", command="sh", args=["-c", form.text]))


def export_output(form: SecretForm, _: Path) -> str:
    return _redact_bytes(form.text.encode()).decode()


def report_crash(form: SecretForm, home: Path) -> str:
    error = record_crash(ValueError(form.text), home)
    (saved,) = (home / "data" / "errors").glob("*.txt")
    return f"{error}{saved.read_text()}"


def log_line(form: SecretForm, home: Path) -> str:
    open_debug_log(home)
    try:
        logging.getLogger("maxagent.test").info("ran %s", form.text)
    finally:
        close_debug_log()
    return find_debug_logs(home)[0].read_text()


def stream_bytes(form: SecretForm, _: Path) -> str:
    output = list[bytes]()
    sink = RedactingSink(output.append)
    for byte in form.text.encode():
        sink.add(bytes([byte]))
    sink.close()
    return b"".join(output).decode()


def emit_event(form: SecretForm, _: Path) -> str:
    return json.dumps(redact_json({"type": "tool.finished", "output": [form.text]}))


def keep_card(form: SecretForm, _: Path) -> str:
    with pytest.raises(CardRefusedError) as refused:
        check_content(f"Remember: {form.text}")
    return f"[secret: {refused.value.message}"


PLACES: list[Callable[[SecretForm, Path], str]] = [
    report_settings, list_server, export_output, report_crash, log_line, stream_bytes, emit_event,
    keep_card,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("function", PLACES)
def test_no_place_shows_a_secret(
    function: Callable[[SecretForm, Path], str], form: SecretForm, tmp_path: Path
) -> None:
    output = function(form, tmp_path)
    assert form.secret not in output and ("[secret: " in output or "***" in output)


def test_field_is_redacted_by_its_name() -> None:
    fields = {"db_password": "rdY7Oj4h!o51uA", "token": "example-token", "path": "a/b1c2d3e4f5g6"}
    assert redact_json({"env": fields}) == {"env": {**fields, "db_password": "[secret: password]"}}


def test_forms_of_the_table_are_found() -> None:
    assert len(FORMS) == len(NAMES)
