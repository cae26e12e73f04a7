"""The files of `docs/deploy`: their form, and that each command and setting exists."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.main import get_command

from maxagent.cli.app import app
from maxagent.config.settings.managed_policy import PolicyKeys
from maxagent.config.settings.schema import Settings

DEPLOY = Path(__file__).parents[2] / "docs" / "deploy"


def read(name: str) -> list[Any]:
    return list(YAML(typ="safe").load_all((DEPLOY / name).read_text()))


def list_commands() -> list[list[str]]:
    [compose] = read("compose.yaml")
    services = [
        service["command"] for service in compose["services"].values() if "command" in service
    ]
    deployments = [each for each in read("kubernetes.yaml") if each["kind"] == "Deployment"]
    specs = [each["spec"]["template"]["spec"]["containers"] for each in deployments]
    commands = [*services, *(container["args"] for spec in specs for container in spec)]
    return [command for command in commands if command[0] == "mcode"]


@pytest.mark.parametrize("command_line", list_commands(), ids=shlex.join)
def test_each_command_and_option_exists(command_line: list[str]) -> None:
    assert command_line[0] == "mcode"
    command: Any = get_command(app)
    command = command.commands[command_line[1]]
    options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    assert {word for word in command_line[2:] if word.startswith("--")} <= options


def test_each_variable_is_a_setting_or_a_key() -> None:
    [compose] = read("compose.yaml")
    names = set(compose["services"]["worker"]["environment"])
    for document in read("kubernetes.yaml"):
        names |= set(document.get("stringData", {}))
    settings = {name.removeprefix("MAXAGENT_").lower() for name in names if "MAXAGENT" in name}
    assert settings <= set(Settings.model_fields)
    assert {name for name in names if "MAXAGENT" not in name} == {"OPENAI_API_KEY"}


def test_the_manifest_is_whole() -> None:
    documents = {each["kind"]: each for each in read("kubernetes.yaml")}
    spec = documents["Deployment"]["spec"]
    labels = spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    mounts = {mount["name"] for each in pod["containers"] for mount in each["volumeMounts"]}
    assert spec["selector"]["matchLabels"] == labels
    assert mounts == {volume["name"] for volume in pod["volumes"]}
    policy = YAML(typ="safe").load(documents["ConfigMap"]["data"]["policy.yaml"])
    assert PolicyKeys.model_validate(policy, strict=True).mode == "auto"


def test_compose_services_depend_on_what_is_there() -> None:
    [compose] = read("compose.yaml")
    services = compose["services"]
    required = {name for each in services.values() for name in each.get("depends_on", {})}
    volume_names = {v.split(":")[0] for each in services.values() for v in each.get("volumes", ())}
    assert required <= set(services)
    assert {name for name in volume_names if not name.startswith(".")} == set(compose["volumes"])
