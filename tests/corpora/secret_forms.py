"""Texts that hold a secret, each in a form of its own; every secret is made when this is read."""

import base64
import random
import string
from typing import NamedTuple

_RANDOM = random.Random(25)
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
CAPITALS = string.ascii_uppercase + "234567"
BASE64 = LETTERS + "+/"
URL = LETTERS + "-_"


class SecretForm(NamedTuple):
    """A text with a secret."""

    name: str
    text: str
    secret: str


def make_random(alphabet: str, length: int) -> str:
    """Return random characters with at least two digits, a letter first."""
    while True:
        made = "".join(_RANDOM.choices(alphabet, k=length))
        if sum(map(str.isdigit, made)) > 1 and (made[0].isalpha() or alphabet == string.digits):
            return made


def _number(length: int) -> str:
    return _RANDOM.choice("123456789") + "".join(_RANDOM.choices(string.digits, k=length - 1))


def _make_uuid() -> str:
    return "-".join(make_random(HEX, size) for size in (8, 4, 4, 4, 12))


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _make_jwt() -> str:
    head, body = _encode('{"alg":"HS256","typ":"JWT"}'), _encode('{"sub":"1234","name":"Ann"}')
    return f"{head.rstrip('=')}.{body.rstrip('=')}.{make_random(URL, 43)}"


def _make_block(label: str, lines: int = 5, last: str = "") -> str:
    body = "\n".join(make_random(BASE64, 64) for _ in range(lines))
    return f"-----BEGIN {label}-----\n{body}\n{last}-----END {label}-----"


def _make_putty() -> str:
    lines = "\n".join(make_random(BASE64, 64) for _ in range(4))
    return f"Private-Lines: 4\n{lines}\nPrivate-MAC: {make_random(HEX, 40)}"


def _list_tokens() -> list[tuple[str, str]]:
    """Return tokens that their own form gives away."""
    r, n = make_random, _number
    return [
        ("AWS key", "AKIA" + r(CAPITALS, 16)),
        ("AWS session key", "ASIA" + r(CAPITALS, 16)),
        ("GitHub classic", "gh" + "p_" + r(LETTERS, 36)),
        ("GitHub server", "gh" + "s_" + r(LETTERS, 36)),
        ("GitHub refresh", "gh" + "r_" + r(LETTERS, 40)),
        ("GitHub fine-grained", "github" + "_pat_" + r(LETTERS, 22) + "_" + r(LETTERS, 59)),
        ("GitLab", "gl" + "pat-" + r(URL, 20)),
        ("GitLab runner", "gl" + "rt-" + r(URL, 20)),
        ("GitLab deploy", "gl" + "dt-" + r(URL, 20)),
        ("GitLab trigger", "gl" + "ptt-" + r(HEX, 40)),
        ("Slack bot", "xo" + f"xb-{n(12)}-{n(12)}-{r(LETTERS, 24)}"),
        ("Slack user", "xo" + f"xp-{n(12)}-{n(12)}-{n(12)}-{r(HEX, 32)}"),
        ("Slack app", "xa" + f"pp-1-A{r(CAPITALS, 10)}-{n(13)}-{r(HEX, 64)}"),
        ("OpenAI", "s" + "k-proj-" + r(URL, 48)),
        ("Anthropic", "s" + "k-ant-api03-" + r(URL, 93) + "AA"),
        ("OpenRouter", "s" + "k-or-v1-" + r(HEX, 64)),
        ("Google", "AI" + "za" + r(URL, 35)),
        ("Google OAuth", "ya29" + ".a0" + r(URL, 60)),
        ("Google client", "GOC" + "SPX-" + r(URL, 28)),
        ("Google refresh", "1//" + "0" + r(URL, 60)),
        ("Stripe live", "s" + "k_live_" + r(LETTERS, 24)),
        ("Stripe restricted", "r" + "k_live_" + r(LETTERS, 24)),
        ("Stripe webhook", "wh" + "sec_" + r(LETTERS, 32)),
        ("Groq", "gs" + "k_" + r(LETTERS, 52)),
        ("xAI", "xa" + "i-" + r(LETTERS, 80)),
        ("Hugging Face", "h" + "f_" + r(LETTERS, 34)),
        ("npm", "np" + "m_" + r(LETTERS, 36)),
        ("PyPI", "py" + "pi-AgEIcHlwaS5vcmc" + r(URL, 80)),
        ("RubyGems", "ruby" + "gems_" + r(HEX, 48)),
        ("crates.io", "ci" + "o" + r(LETTERS, 32)),
        ("NuGet", "oy" + "2" + r(string.ascii_lowercase + string.digits, 43)),
        ("Docker Hub", "dc" + "kr_pat_" + r(URL, 27)),
        ("SendGrid", "S" + f"G.{r(URL, 22)}.{r(URL, 43)}"),
        ("Mailgun", "ke" + "y-" + r(HEX, 32)),
        ("Mailchimp", r(HEX, 32) + "-us12"),
        ("Brevo", "xkey" + f"sib-{r(HEX, 64)}-{r(LETTERS, 16)}"),
        ("Twilio", "S" + "K" + r(HEX, 32)),
        ("Telegram", f"{n(10)}:A" + "A" + r(URL, 33)),
        ("Discord", "M" + f"{r(LETTERS, 25)}.G{r(LETTERS, 5)}.{r(URL, 38)}"),
        ("Vault service", "hv" + "s." + r(URL, 92)),
        ("Vault batch", "hv" + "b." + r(URL, 140)),
        ("DigitalOcean", "do" + "p_v1_" + r(HEX, 64)),
        ("Shopify", "shp" + "at_" + r(HEX, 32)),
        ("Shopify shared", "shp" + "ss_" + r(HEX, 32)),
        ("Square", "sq0" + "atp-" + r(URL, 22)),
        ("Databricks", "da" + "pi" + r(HEX, 32)),
        ("Linear", "lin" + "_api_" + r(LETTERS, 40)),
        ("Notion", "nt" + f"n_{n(11)}{r(LETTERS, 35)}"),
        ("Atlassian", "ATA" + "TT3" + r(URL, 186)),
        ("Postman", "PM" + f"AK-{r(HEX, 24)}-{r(HEX, 34)}"),
        ("Grafana", "gl" + f"sa_{r(LETTERS, 32)}_{r(HEX, 8)}"),
        ("Sentry user", "sntr" + "yu_" + r(HEX, 64)),
        ("Doppler", "dp." + "pt." + r(LETTERS, 43)),
        ("Terraform", f"{r(LETTERS, 14)}.atlas" + f"v1.{r(LETTERS, 64)}"),
        ("Pulumi", "pu" + "l-" + r(HEX, 40)),
        ("PlanetScale", "pscale" + "_tkn_" + r(LETTERS, 43)),
        ("Fly.io", "fo" + "1_" + r(URL, 43)),
        ("Figma", "fi" + "gd_" + r(URL, 40)),
        ("Tailscale", "ts" + f"key-auth-{r(LETTERS, 12)}-{r(LETTERS, 32)}"),
        ("Replicate", "r" + "8_" + r(LETTERS, 37)),
        ("age", "AGE-SECRET" + "-KEY-1" + r("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
        ("Azure client", f"{r(LETTERS, 3)}8" + "Q~" + r(LETTERS, 34)),
        ("JSON web token", _make_jwt()),
        ("New Relic", "NR" + "AK-" + r(string.ascii_uppercase + string.digits, 27)),
        ("1Password", "op" + "s_eyJ" + r(LETTERS, 260)),
    ]


# `{}` is where the secret stands
_ASSIGNMENTS: tuple[tuple[str, str, str], ...] = (
    ("env file", "DB_PASS={}", "password"),
    ("env with a suffix", "DATABASE_PASSWORD_PROD={}", "password"),
    ("env in quotes", 'SMTP_PASSWORD="{}"', "password"),
    ("export", "export GRAFANA_PASSWORD={}", "password"),
    ("printenv of a key", "PATH=/bin\nINTERNAL_API_KEY={}\nHOME=/root", "key"),
    ("Docker option", "docker run -e PAYMENT_TOKEN={} image", "key"),
    ("Dockerfile", "FROM x\nENV BUILD_TOKEN {}\n", "key"),
    ("JSON", '{{"user": "ann", "password": "{}"}}', "password"),
    ("JSON in JSON", '{{"body": "{{\\"client_secret\\": \\"{}\\"}}"}}', "key"),
    ("YAML", "db:\n  user: ann\n  password: {}\n", "password"),
    ("TOML", 'api_key = "{}"\n', "key"),
    ("INI", "[db]\npassword = {}\n", "password"),
    ("properties", "spring.datasource.password={}\n", "password"),
    ("Python", 'client = Client(token="{}")', "key"),
    ("Python with a type", 'SECRET_KEY: str = "{}"', "key"),
    ("Python dict", "config['auth_token'] = '{}'", "key"),
    ("JavaScript", "const s = {{ clientSecret: '{}' }}", "key"),
    ("TypeScript", 'const accessToken: string = "{}";', "key"),
    ("Go", 'cfg := Config{{APIKey: "{}"}}', "key"),
    ("Ruby", 'config = {{ :password => "{}" }}', "password"),
    ("PHP", "define('DB_PASSWORD', '{}');", "password"),
    ("Java", 'ds.setPassword("{}");', "password"),
    ("PowerShell", '$env:DEPLOY_TOKEN = "{}"', "key"),
    ("Terraform variable", 'variable "db_password" {{\n  default = "{}"\n}}', "password"),
    ("Kubernetes env", "- name: API_TOKEN\n  value: {}\n", "key"),
    ("ECS", '{{"name": "DB_PASSWORD", "value": "{}"}}', "password"),
    ("XML", "<password>{}</password>", "password"),
    ("XML attribute", '<add key="ApiKey" value="{}" />', "key"),
    ("option", "mycli login --password {}", "password"),
    ("option with =", "mycli --api-token={} list", "key"),
    ("netrc", "machine api.host.io login ann password {}", "password"),
    ("npmrc", "//registry.npmjs.org/:_authToken={}", "key"),
    ("pypirc", "[pypi]\nusername = ann\npassword = {}\n", "password"),
    ("WireGuard", "[Interface]\nPrivateKey = {}=\n", "wide"),
    ("AWS secret", "aws_secret_access_key = {}", "mixed"),
    ("AWS session token", "aws_session_token={}", "wide"),
    ("AWS secret in JSON", '"SecretAccessKey": "{}"', "forty"),
    ("kubeconfig", "users:\n- user:\n    token: {}\n", "key"),
    ("SQL", "ALTER ROLE app WITH PASSWORD '{}'", "password"),
    ("MySQL", "CREATE USER 'a' IDENTIFIED BY '{}'", "password"),
    ("PostgreSQL URL", "DATABASE_URL=postgres://app:{}@db.internal:5432/x", "password"),
    ("MySQL URL", "mysql://app:{}@10.0.0.3/x", "password"),
    ("MongoDB URL", '"mongodb+srv://app:{}@c0.mongodb.net/x"', "password"),
    ("Rails base", "SECRET_KEY_BASE={}", "wide"),
    ("encoded query", "q=password%3D{}%26x", "key"),
    ("configure set", "aws configure set aws_secret_access_key {}", "mixed"),
    ("Redis URL", "redis://:{}@cache:6379/0", "password"),
    ("AMQP URL", "amqp://app:{}@mq:5672/%2f", "password"),
    ("URL with a token", "git clone https://{}@github.com/a/b.git", "key"),
    ("JDBC", "jdbc:postgresql://db/x?user=app&password={}", "password"),
    ("ODBC", "Driver=x;Server=db;Uid=app;Pwd={};", "password"),
    ("ADO", "Server=db;User Id=sa;Password={};Encrypt=yes", "password"),
    ("Azure storage", "AccountName=a;AccountKey={}==;EndpointSuffix=x", "wide"),
    ("Azure SAS", "https://a.blob.core.windows.net/c?sv=2022&sig={}%3D", "wide"),
    ("query", "GET /v1/items?access_token={}&page=2", "key"),
    ("query of a key", "https://api.host.io/v1?api_key={}", "key"),
    ("Bearer", "authorization: BEARER {}", "key"),
    ("bearer alone", "curl -H 'bearer {}' x", "key"),
    ("header of GitHub", "Authorization: token {}", "key"),
    ("bare authorization", "Authorization: {}", "key"),
    ("header of a key", "x-api-key: {}", "key"),
    ("header in code", 'headers = {{"X-Auth-Token": "{}"}}', "key"),
    ("GitLab header", "curl --header 'PRIVATE-TOKEN: {}'", "key"),
    ("cookie", "Cookie: theme=dark; sessionid={}", "key"),
    ("curl -u", "curl -u ann:{} https://x.io", "password"),
    ("mysql -p", "mysql -u root -p{} shop", "password"),
    ("sshpass", "sshpass -p {} ssh a@b", "password"),
    ("Slack webhook", "https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/{}", "key"),
    ("Discord webhook", "https://discord.com/api/webhooks/123456789012345678/{}", "wide"),
    ("Heroku", "heroku_key: {}", "uuid"),
    ("Datadog", "datadog: {}", "forty"),
    ("Ansible", "ansible_become_password: {}", "password"),
    ("preshared", "[Peer]\nPresharedKey = {}=\n", "wide"),
    ("AWS pair", "AKIA" + "Q3EGRLKZ5PVJM2WT,{}", "mixed"),
)


def _make_value(kind: str) -> str:
    makers = {
        "password": lambda: make_random(LETTERS, 8) + "!" + make_random(LETTERS, 5),
        "key": lambda: make_random(LETTERS, 32),
        "wide": lambda: make_random(LETTERS, 86),
        "forty": lambda: make_random(HEX, 40),
        "mixed": lambda: make_random(BASE64, 40),
        "uuid": _make_uuid,
    }
    return makers[kind]()


def list_forms() -> list[SecretForm]:
    """Return all forms: tokens, assignments, keys of several lines, logins in base64."""
    _RANDOM.seed(25)
    forms = [
        SecretForm(name, f"the key is {token}, I think", token) for name, token in _list_tokens()
    ]
    for name, template, kind in _ASSIGNMENTS:
        value = _make_value(kind)
        forms.append(SecretForm(name, template.format(value), value))
    blocks = {
        "RSA": _make_block("RSA PRIVATE " + "KEY"),
        "PKCS 8": _make_block("ENCRYPTED PRIVATE " + "KEY"),
        "OpenSSH": _make_block("OPENSSH PRIVATE " + "KEY"),
        "PGP": _make_block("PGP PRIVATE " + "KEY BLOCK", last="=a1B2\n"),
        "PuTTY": _make_putty(),
    }
    forms += [SecretForm(name, f"{block}\nthe end", block) for name, block in blocks.items()]
    login = _encode(f"ann:{make_random(LETTERS, 12)}")
    forms += [
        SecretForm("basic", f"Authorization: Basic {login}", login),
        SecretForm("Docker login", f'{{"auths": {{"x": {{"auth": "{login}"}}}}}}', login),
        SecretForm("npm login", f"//npm.host.io/:_auth={login}", login),
    ]
    key = _encode(blocks["PKCS 8"].replace("ENCRYPTED ", ""))
    return [*forms, SecretForm("kubeconfig key", f"client-key-data: {key}", key)]
