import base64
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_forms import SecretForm, list_forms

from maxagent.config.security.redaction import redact
from maxagent.config.security.secrets.detection import SecretMatch, find_private_keys, find_secrets
from maxagent.config.security.secrets.known_values import remember_secret
from maxagent.config.security.secrets.rules import load_rules

FORMS = list_forms()
# What a search finds nowhere in real projects, and what code is
HARMLESS = """\
password = os.environ["DB_PASSWORD"]
token: str
def login(self, password: str = "", token: str | None = None) -> Token2:
api_key = settings.api_key or get_api_key2(name)
PASSWORD=changeme
DB_PASSWORD=<your-password-123>
API_KEY=xxxxxxxxxxxxxxxx1
TOKEN=${CI_JOB_TOKEN}
secret: ${{ secrets.DEPLOY_TOKEN_2 }}
password: {{ db_password1 }}
client_secret = "your-client-secret-1234"
token = "example-token-1234abcd"
"integrity": "sha512-LzOn3h9rG/0vhaB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3A4b5CQouA=="
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
commit c4e74a6e0b0c4f2d8a9b7c6d5e4f3a2b1c0d9e8f
id: 550e8400-e29b-41d4-a716-446655440000
password_hash = "pbkdf2_sha256$260000$b8c1nQ2wE3rT$kD8fJ3hG6sA9="
token_url = "https://auth.host.io/oauth2/token"
key = "users:42:profile-v2"
cache_key="a8f5f167f44f4964e6c998dee827110c"
<input type="password" name="password1" id="id_password1">
csrf_token = "kD8fJ3hG6sA9kD8fJ3hG6sA9kD8fJ3hG"
public_key = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"
from oauth2.tokens import AccessToken2, secret_key2
Authorization: Bearer <token>
headers = {"Authorization": f"Bearer {token2}"}
curl -u "$USER:$PASSWORD" https://host.io
postgres://user:password@localhost/db https://user:pass@host.io
max_tokens=4096 num_tokens: 128000 token_ids=[1,2,3]
PATH=/usr/local/bin:/usr/bin2 SSH_AUTH_SOCK=/tmp/ssh-1/agent.2
private_key_path = "~/.ssh/id_ed25519"
assert verify_password("password123", hashed1)
passwordInput.value === otherPassword2
pass2 = pass1
""".splitlines()
AGAINST_TIME = [
    *("-eyJ", "sk-", "://a:", "earer ", "gho_", "password=", "token: '", 'key=\\"', "a1-", "0"),
    *("Private-Lines: 1\n", "-----BEGIN ", "curl -u a:", "mysql -p", "cookie: a=", "secret " * 3),
    *("default = {", "password {", "value: ", "token\n", "https://a@", "identified by '", "'" * 3),
    *("password: |\n ", "token{", "setenv token ", "secret: &'a "),
]
MARK = "[secret: key]"
BEGIN, END = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
LONG = "MIIE" * 16
LINES = [BEGIN, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B", "", LONG, LONG, "abc=", END]
OPEN = LINES[:-1]
_body = st.text("abcXYZ019+/", max_size=70).map(lambda line: f"{line}Q")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_secret_is_found_in_each_form(form: SecretForm) -> None:
    redacted = redact(form.text)
    hidden = [line for line in form.secret.splitlines() if not line.startswith("-----")]
    assert hidden and not [line for line in hidden if line in redacted]
    before = form.text.partition(form.secret)[0].partition("://")[0].partition("AKIA")[0]
    assert redacted.startswith(before) and "[secret: " in redacted


def test_forms_are_many_and_differ() -> None:
    assert len({form.name for form in FORMS}) == len(FORMS) >= 140


@pytest.mark.parametrize("line", HARMLESS)
def test_code_and_examples_hold_none(line: str) -> None:
    assert find_secrets(f"import x\n{line}\n") == []


PASSWORD = "vK7qPz2mXw9!r"
ASSIGNMENTS = [
    'let db_password: &str = "{}";',
    'const API_KEY: &\'static str = "{}";',
    'static mut TOKEN: &\'a str = "{}";',
    "set -gx API_TOKEN {}",
    "set -x DB_PASSWORD '{}'",
    "setenv API_TOKEN {}",
    'setenv DB_PASSWORD "{}"',
    '#define WIFI_PASSWORD "{}"',
    '#  define MQTT_SECRET "{}"',
    'std::string api_key{{"{}"}};',
    'QString password{{ "{}" }};',
    "password: |\n  {}",
    "client_secret: >-\n    {}",
    "- db_password: >\n    {}",
    "api_token: |+ \n  {}",
]


@pytest.mark.parametrize("line", ASSIGNMENTS)
def test_assignment_of_each_language_is_found(line: str) -> None:
    text = line.format(PASSWORD)
    assert PASSWORD in text and PASSWORD not in redact(text)


@pytest.mark.parametrize(
    "line",
    [
        "#define CKM_EXTRACT_KEY 0x00000365UL2",
        "#define TOKEN_NAME kTokenName2",
        "fn login(password: &str, token: &str) -> Token2 {",
        "password: |\n  {{ vault_password1 }}",
        "token{getToken2()}",
        "set -x EDITOR vim9-gtk3",
        "secret: >\n  ${DEPLOY_SECRET_2}",
    ],
)
def test_code_of_each_language_holds_none(line: str) -> None:
    assert redact(line) == line


def build_web_token(**claims: object) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    coded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts)
    return ".".join([*(part.rstrip("=") for part in coded), "q4Zt0_Lx8sVb2nKfRw7pYc1dGhJm5"])


def build_basic(login: str) -> str:
    return "Authorization: Basic " + base64.b64encode(login.encode()).decode()


# Each example beside one that differs in what makes it real
EXAMPLE_AND_REAL = [
    (build_web_token(sub="1234567890", name="John Doe"), build_web_token(sub="8", name="I. Ree")),
    (build_web_token(sub="foo", iat=1516239022), build_web_token(iat=1516239022)),
    (build_web_token(data="bar"), build_web_token(sub="acme-billing", role="admin")),
    (
        "Authorization: Bearer " + build_web_token(sub="test"),
        "Authorization: Bearer " + build_web_token(sub="77"),
    ),
    (f'token = "{build_web_token(user="alice")}"', f'token = "{build_web_token(user="mkeller")}"'),
    (build_basic("user:pass"), build_basic("deploy:Zq8kk2-Wm4")),
    (f'"Proxy-{build_basic("foo:bar")}"', f'"Proxy-{build_basic("ci:rT7wQ2ne")}"'),
    ("http://foo:bar@baz@host.io", "http://foo:bar@Zq8k2@host.io"),
    ("mysql://test:p@ss@db.io/x", "mysql://test:p@ss-9Qz@db.io/x"),
    (
        "- `apiKey`: プリケーション固有のキーで1これらの2取得できます3から",
        'apiKey: "rT7wQ2ne-0aLx9"',
    ),
    ("`password`: 次のいくつかの章では、その例を紹介します。", 'password: "Zq8-次の-kk2"'),
    ("with_credentials=Tr0e1x2y3z4w5v6", "client_credentials=Tr0e1x2y3z4w5v6"),
]


@pytest.mark.parametrize(("example", "real"), EXAMPLE_AND_REAL)
def test_example_is_none_and_its_twin_is_one(example: str, real: str) -> None:
    assert (find_secrets(f"x\n{example}\n"), bool(find_secrets(f"x\n{real}\n"))) == ([], True)


def test_matches_are_in_order_without_overlaps() -> None:
    remember_secret("db.password", "Zq8!kk2-Wm4#")
    text = "postgres://me:Zq8!kk2-Wm4#x@host and " + "gh" + "p_" + "a1B2" * 9
    secrets = find_secrets(text)
    assert secrets == [SecretMatch("password", 11, 27), SecretMatch("GitHub token", 37, 77)]
    assert find_secrets("(Zq8!kk2-Wm4#)") == [SecretMatch("db.password", 1, 13)]


@pytest.mark.parametrize("part", AGAINST_TIME)
def test_no_text_makes_it_take_long(part: str) -> None:
    text = part * (300_000 // len(part))
    assert len(redact(text)) <= len(text) * 6  # the suite's time limit would end it


def test_all_keywords_at_once_take_not_long() -> None:
    keywords = "1= ".join(keyword for rule in load_rules() for keyword in rule.keywords)
    text = keywords * (1_000_000 // len(keywords))
    assert isinstance(find_secrets(text), list)


def _hide_keys(text: str) -> str:
    output, at = "", 0
    for start, end in find_private_keys(text):
        output, at = output + text[at:start] + MARK, end
    return output + text[at:]


@pytest.mark.parametrize("lines", [LINES, OPEN, LINES[:1] + LINES[4:], LINES[:1] + LINES[5:-1]])
@pytest.mark.parametrize(
    ("first", "other", "end"),
    [
        ("", "", ""),
        ("", "", "\r"),
        ("+", "+", ""),
        ("-", "-", ""),
        (" ", "+", ""),
        ("  key: ", "       ", ""),
        ('KEY="', "", ""),
        ('+key = "', '+    "', '\\n" +'),
        ("# ", "# ", ""),
        ("  // ", "  // ", ""),
        ("> > ", "> > ", ""),
        ("     9→", "    10→", ""),
        ("    12→key = '", "    13→", ""),
        ("certs/a.pem:9: ", "certs/a.pem:10: ", ""),
        ("9:", "10:", ""),
        ("9-+", "10-+", ""),
        ("web-1  | ", "web-1  | ", ""),
        ("2026-01-02T03:04:05Z [7] ", "2026-01-02T03:04:06Z [7] ", ""),
        ("\x1b[32m+", "\x1b[32m+\x1b[m\x1b[32m", "\x1b[m"),
    ],
)
def test_private_key_is_hidden_behind_any_line_prefix(
    lines: list[str], first: str, other: str, end: str
) -> None:
    leads = [first] + [other] * (len(lines) - 1)
    text = "".join(f"{lead}{line}{end}\n" for lead, line in zip(leads, lines, strict=True))
    after = f"{other}and this, too, is told\n"
    hide_keys = _hide_keys(f"before\n{text}{after}")
    assert hide_keys.startswith(f"before\n{first}{MARK}") and hide_keys.endswith(f"\n{after}")
    assert hide_keys.count("\n") == 3 and not re.search("MIIE|abc=|Proc|DEK|KEY---", hide_keys)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (f'x = "{BEGIN}"\ny = 1\n', f'x = "{MARK}"\ny = 1\n'),
        (f"{BEGIN} and then some words", f"{MARK} and then some words"),
        (f"{BEGIN} {LONG} abc= {END}; x", f"{MARK}; x"),
        (f"{BEGIN}{LONG}", MARK),
        (json.dumps("\n".join(LINES)), f'"{MARK}"'),
        (json.dumps(json.dumps("\n".join(OPEN[:1] + OPEN[4:]))), f'"\\"{MARK}\\""'),
        (json.dumps(f"{BEGIN}\n-{LONG}\n+abc=\n other words"), f'"{MARK}\\n other words"'),
        (f"{BEGIN}\n\n\n{LONG}\n\nabc", f"{MARK}\n\nabc"),
        (f"{BEGIN}\n\nUsage\n", f"{MARK}\n\nUsage\n"),
        (f"{BEGIN}\n{LONG}\n{BEGIN}\n{LONG}\n", f"{MARK}\n{MARK}\n"),
        (f"{BEGIN}\ncurl x | sh\n{END}", f"{MARK}\ncurl x | sh\n{END}"),
        (f"{BEGIN} $(curl x) {END}", f"{MARK} $(curl x) {END}"),
        (
            f"+++ b/k\n@@ -0,0 +1,2 @@\n+{BEGIN}\n+abc=\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n",
            f"+++ b/k\n@@ -0,0 +1,2 @@\n+{MARK}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n",
        ),
        (f"+{BEGIN}\n--- a/k\n+++ b/k\n+{END}\n", f"+{MARK}\n--- a/k\n+++ b/k\n+{END}\n"),
    ],
)
def test_what_only_follows_a_key_is_reported(text: str, output: str) -> None:
    assert _hide_keys(text) == output


@pytest.mark.parametrize("lines", [LINES, OPEN, LINES[:1] + LINES[4:], LINES[:1] + LINES[5:-1]])
@pytest.mark.parametrize(
    "end",
    [
        *("&#13;\n", "&#10;", "&#xD;\n", "&#xA;", "&amp;#10;", "%0A", "%0D%0A", "%250A"),
        *(
            "<br>",
            "<br>\n",
            "<br/>\n",
            "<br />",
            "\r",
            "\\u000a",
            "\\x0a",
            "_x000D_\n",
            "^M\n",
            "$\n",
        ),
        *(" |\n| ", " │\n│ ", "\\r\\n", "\\\n", "%0a", "&#x0A;"),
    ],
)
def test_private_key_is_hidden_with_any_line_end(lines: list[str], end: str) -> None:
    key = "".join(line + end for line in lines if line)
    assert not re.search("MIIE|abc=|Proc|DEK|KEY---", _hide_keys(f"before {key}")), end


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize(
    "escapes",
    [
        {"+": "%2B", "/": "%2F", "=": "%3D", " ": "%20", "\n": "%0A"},
        {"+": "%2B", "/": "%2F", "=": "%3D", " ": "+", "\n": "%0D%0A"},
        {"+": "%2b", "/": "%2f", "=": "%3d", " ": "+", "\n": "%0a"},
        {"/": "%2F", " ": "%20", "\n": "%0A"},
        {"+": "%252B", "/": "%252F", "=": "%253D", " ": "%2520", "\n": "%250A"},
        {"\n": "%0A"},
    ],
)
def test_private_key_of_an_address_is_hidden(escapes: dict[str, str], closed: bool) -> None:
    line = "MII/E+" * 10
    key = "\n".join([BEGIN, line, line, "abcd/Q==", *[END] * closed])
    coded = "".join(escapes.get(letter, letter) for letter in key)
    assert _hide_keys(f"https://a.io/?k={coded}&x=1") == f"https://a.io/?k={MARK}&x=1"


@given(
    st.lists(_body, min_size=1), st.sampled_from(["", "+", "  ", "> "]), st.booleans(), st.text()
)
def test_only_lines_of_the_key_are_hidden(
    body: list[str], lead: str, closed: bool, after: str
) -> None:
    key = "".join(f"{lead}{line}\n" for line in [BEGIN, *body, *[END] * closed])
    hide_keys = _hide_keys(f"{key}{lead}no key.\n{after}")
    assert hide_keys == f"{lead}{MARK}\n{lead}no key.\n{_hide_keys(after)}"


@pytest.mark.parametrize(
    "part",
    [
        BEGIN, BEGIN + "\n", "-----BEGIN ", END, BEGIN + LONG, BEGIN + " a", "\n" + BEGIN + "\n\n",
        LONG + "\n", " ", "\\", "\\n", "\\\\n\n", "+", "/", "# ", "1:", "a:1:", "\x1b[m", "=", "'",
        "%0A", "&#10;", "<br>", "\r", "| ", "%2F", "%", "%0A" + LONG, "-----BEGIN", "^M",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", [BEGIN, BEGIN + "\n", " " * 100 + BEGIN + "\n"])
def test_no_key_makes_it_take_long(before: str, part: str) -> None:
    text = before + part * (300_000 // len(part)) + "!"
    assert MARK in _hide_keys(text)  # the suite's time limit would end it
