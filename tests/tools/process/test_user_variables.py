"""Which variables of the user's shell commands get."""

import subprocess

import pytest

from maxagent.tools.process.user_variables import (
    EDITORS,
    VariableRules,
    explain_failure,
    list_held_back,
    select_variables,
)

NO_RULES = VariableRules()
ORDINARY = {
    "PYTHONPATH": "src:lib",
    "DJANGO_SETTINGS_MODULE": "shop.settings",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
    "NODE_OPTIONS": "--experimental-vm-modules",
    "RAILS_ENV": "test",
    "PGHOST": "localhost",
    "DATABASE_URL": "postgres://localhost/shop",
    "CFLAGS": "-O2",
    "KEYBOARD_LAYOUT": "de",
    "SHOP_MODE": "Ladenöffnung",
    "MAX_TOKENS": "4096",
    "SSL_KEY_FILE": "/etc/ssl/key.pem",
}
SECRET = {
    "OPENAI_API_KEY": "k",
    "GITHUB_TOKEN": "x",
    "STRIPE_SECRET": "x",
    "DB_PASSWORD": "hunter2",
    "PGPASSWORD": "x",
    "DATABASE_URL": "postgres://shop:Wq8fXr2kLm@db.example/shop",
    "HTTPS_PROXY": "http://me:Wq8fXr2kLm@proxy.example:8080",
    "NPM_CONFIG__AUTH": "bWU6aHVudGVyMnNlY3JldA==",
    "DEPLOY": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "SENTRY_DSN_AUTH": "x",
}
NEVER = (
    "MAXAGENT_HOME",
    "LLC_MODEL",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "GIT_DIR",
    "IFS",
)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_variables_arrive(name: str) -> None:
    assert select_variables(ORDINARY, NO_RULES)[name] == ORDINARY[name]


@pytest.mark.parametrize("name", SECRET)
def test_secrets_are_held_back_and_named(name: str) -> None:
    own = {name: SECRET[name]}
    assert name not in select_variables(own, NO_RULES)
    assert list_held_back(own, NO_RULES) == [name]


@pytest.mark.parametrize("name", NEVER)
def test_what_every_program_loads_never_arrives(name: str) -> None:
    assert name not in select_variables({name: "x"}, VariableRules(include=("*",)))
    assert list_held_back({name: "x"}, NO_RULES) == []


@pytest.mark.parametrize(
    ("include", "exclude", "arrives"),
    [
        ((), (), False),
        (("SHOP_TOKEN",), (), True),
        (("SHOP_*",), (), True),
        (("shop_token",), (), False),
        (("OTHER",), (), False),
        (("*",), ("SHOP_*",), False),
    ],
)
def test_settings_add_and_remove(
    include: tuple[str, ...], exclude: tuple[str, ...], arrives: bool
) -> None:
    rules = VariableRules(include, exclude)
    assert ("SHOP_TOKEN" in select_variables({"SHOP_TOKEN": "x"}, rules)) == arrives


@pytest.mark.parametrize(
    ("output", "is_explained"),
    [
        ("KeyError: 'SHOP_TOKEN'", True),
        ("SHOP_TOKEN: unbound variable", True),
        ("Error: set $SHOP_TOKEN first", True),
        ("MY_SHOP_TOKENS are missing", False),
        ("", False),
    ],
)
def test_failure_names_held_back_variable(output: str, is_explained: bool) -> None:
    reason = explain_failure(output, {"SHOP_TOKEN": "x"}, NO_RULES)
    assert ("SHOP_TOKEN" in reason and "environment.include" in reason) == is_explained


@pytest.mark.parametrize("name", EDITORS)
def test_editor_fails_with_a_sentence(name: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"${name} file"],
        env={**EDITORS, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode and "cannot open an editor" in done.stderr
