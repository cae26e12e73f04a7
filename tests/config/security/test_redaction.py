import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.security.redaction import find_marks, redact, redact_json
from maxagent.config.security.secrets.known_values import remember_secret

# written in two parts, so that no scanner of repositories takes them for real
TOKENS = {
    "AWS key": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "a1B2" * 5,
    "Slack token": "xoxb-" + "1234567890-abcdef",
    "API key": "sk-" + "proj-abcDEF1234567890abcdef",
    "Google key": "AIza" + "a1B2_" * 7,
    "Stripe key": "sk_" + "live_a1B2a1B2a1B2a1B2",
    "Groq key": "gsk_" + "a1B2" * 13,
    "xAI key": "xai-" + "a1B2" * 20,
    "npm token": "npm_" + "a1B2" * 9,
    "PyPI token": "pypi-" + "AgE" + "a1B2" * 12,
    "Hugging Face token": "hf_" + "a1B2" * 9,
    "JSON web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.a1B2a1B2a1B2",
    "private key": "-----BEGIN RSA PRIVATE "
    + "KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----",
}
HARMLESS = [
    "the task-force desk-top risk-averse sk-learn scikit-learn",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "https://example.org/a:b@c http://localhost:8080/v1 git@github.com:me/it.git",
    "postgres://$USER:$PASSWORD@host https://user:${TOKEN}@host mailto:a@b.c",
    "Bearer token, bearer of news; ghp_short; AKIAshort; github_pat_short; eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    "550e8400-e29b-41d4-a716-446655440000 c4e74a6e0b0c4f2d8a9b7c6d5e4f3a2b1c0d9e8f",
]
VALUE = 'pa"ss/wörd+42 %'


@pytest.mark.parametrize("name", TOKENS)
def test_text_in_key_format_is_hidden(name: str) -> None:
    token = TOKENS[name]
    assert redact(f"x={token}\n") == f"x=[secret: {name}]\n"
    assert redact(json.dumps([token])) == json.dumps([f"[secret: {name}]"])


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_a_little_like_one_stays(text: str) -> None:
    assert redact(text) == text


def test_url_password_and_header_token_are_hidden() -> None:
    assert redact("https://me:pa55@host/x") == "https://[secret: password]@host/x"
    header = "Authorization: Bearer a1B2a1B2a1B2a1B2a1B2"
    assert redact(header) == "Authorization: Bearer [secret: token]"


@pytest.mark.parametrize(
    "spelled",
    [
        VALUE,
        quote(VALUE, safe=""),
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        base64.b64encode(VALUE.encode()).decode(),
        base64.urlsafe_b64encode(VALUE.encode()).decode().rstrip("="),
    ],
)
def test_environment_key_is_hidden_in_any_encoding(
    spelled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", VALUE)
    assert redact(f"<{spelled}>").startswith("<[secret: DB_PASSWORD]")


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("OPENAI_API_KEY", "Zq8-the-key", True),
        ("APIKEY", "Zq8-the-key", True),
        ("my_token", "Zq8-the-key", True),
        ("AWS_SECRET_ACCESS_KEY", "Zq8/the+key=", True),
        ("AWS_ACCESS_KEY_ID", "Zq8-the-key", True),
        ("DOCKER_AUTH_CONFIG", "Zq8-the-key", True),
        ("MYSQL_PWD", "Zq8-the-key", True),
        ("PGPASSWORD", "Zq8-the-key", True),
        ("API_KEY", "short", False),
        ("API_KEY", "aaaaaaaaaaaa", False),
        ("API_KEY", "changeme", False),
        ("TOKEN_URL", "https://example.org/token", False),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json", False),
        ("SSH_AUTH_SOCK", "ssh-agent.1234", False),
        ("KEYBOARD_LAYOUT", "de-nodeadkeys", False),
        ("MAX_TOKENS", "128000123", False),
        ("MONKEY", "Zq8-the-key", False),
        ("HOME_PAGE", "Zq8-the-key", False),
    ],
)
def test_which_variables_hold_secrets(
    name: str, value: str, is_secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert redact(f"({value})") == (f"([secret: {name}])" if is_secret else f"({value})")


def test_settings_key_is_hidden_after_loading() -> None:
    remember_secret("litellm.api_key", "Kz-of-the-settings-7")
    assert redact("=Kz-of-the-settings-7") == "=[secret: litellm.api_key]"


def test_in_nested_values_every_text_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "Zq8-the-key")
    value = {"a": ["Zq8-the-key", 1, None], "Zq8-the-key": {"b": "x Zq8-the-key"}}
    mark = "[secret: MY_TOKEN]"
    assert redact_json(value) == {"a": [mark, 1, None], mark: {"b": f"x {mark}"}}
    assert find_marks(json.dumps(redact_json(value))) == {mark}


@given(st.text(), st.text())
def test_redacting_twice_changes_nothing_more(before: str, after: str) -> None:
    once = redact(f"{before} {TOKENS['API key']} {after} Bearer a1B2a1B2a1B2a1B2a1B2")
    assert redact(once) == once


@pytest.mark.parametrize("part", ["-eyJ", "-sk-", "://a:", "-eyJaaaaaaaaaaa.", "earer ", "gho_"])
def test_no_text_makes_it_take_long(part: str) -> None:
    text = part * (1_000_000 // len(part))
    assert len(redact(text)) <= len(text)  # the suite's time limit would end it
