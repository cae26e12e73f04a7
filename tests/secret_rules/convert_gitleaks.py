"""Convert the rules of gitleaks into our data: `convert_gitleaks.py gitleaks.toml LICENSE VERSION`.

Both files are of https://github.com/gitleaks/gitleaks, `config/gitleaks.toml` and `LICENSE`. The
expressions are Go's RE2; a rule that finds `NAME … = SECRET` becomes its name and its secret, and a
secret may be followed by anything that is not a part of it.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "config/security/secrets/gitleaks_rules.json"
# What the detector has in a way of its own, what is no secret, or what needs the file's name
LEFT_OUT = {
    "generic-api-key": "assignments.py",
    "hashicorp-tf-password": "assignments.py",
    "nuget-config-password": "assignments.py",
    "kubernetes-secret-yaml": "assignments.py",
    "freemius-secret-key": "assignments.py",
    "curl-auth-header": "own_rules.json",
    "curl-auth-user": "own_rules.json",
    "jwt": "own_rules.json",
    "slack-webhook-url": "own_rules.json: the address stays",
    "twilio-api-key": "own_rules.json: only as a whole word",
    "vault-service-token": "own_rules.json: `s.` and 24 characters is code",
    "sourcegraph-access-token": "own_rules.json: 40 hexadecimal digits are a commit",
    "square-access-token": "own_rules.json: `EAAA` is in every picture",
    "private-key": "private_keys.py",
    "pkcs12-file": "a file's name",
    "huggingface-access-token": "own_rules.json: it may have no digit",
    "huggingface-organization-api-token": "own_rules.json: it may have no digit",
    "sumologic-access-id": "an ID",
    "sendbird-access-id": "an ID",
    "new-relic-user-api-id": "an ID",
    "lob-pub-api-key": "public",
    "mailgun-pub-key": "public",
    "flutterwave-public-key": "public",
}
IS_ID = re.compile(r"-client-id$")
HEAD = r"[\w.-]{0,50}?"
NEAR = (
    r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}""",
    r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}""",
)
ENDS = (
    r"""(?:[\x60'"\s;]|\\[nr]|$)""",
    r"""(?:[\x60'"\s;]|\\[nr]|$|\b)""",
    r"""(?:[^\w-]|\z)""",
    r"""(?:[^a-zA-Z0-9+/]|\z)""",
    r"""(?:$|[\\'"\x60\s<),])""",
)
NOT_LONGER = r"(?![\w-])"
BEGIN = r"""(?:^|[\\'"\x60\s>=:(,)])"""
WORDS = {
    "api": "API", "aws": "AWS", "oauth": "OAuth", "ptt": "PTT", "rrt": "RRT", "cicd": "CI/CD",
    "pat": "token", "github": "GitHub", "gitlab": "GitLab", "digitalocean": "DigitalOcean",
    "sendgrid": "SendGrid", "sendinblue": "Sendinblue", "huggingface": "Hugging Face", "npm": "npm",
    "pypi": "PyPI", "openai": "OpenAI", "hubspot": "HubSpot", "gcp": "Google",
    "jwt": "JSON web token",
    "tf": "Terraform", "launchdarkly": "LaunchDarkly", "linkedin": "LinkedIn", "jfrog": "JFrog",
    "newrelic": "New Relic", "mailchimp": "Mailchimp", "rubygems": "RubyGems", "ad": "AD",
    "ca": "CA", "id": "ID", "url": "URL", "scim": "SCIM", "personnal": "personal",
}  # fmt: skip


def convert(toml: dict[str, Any]) -> list[dict[str, Any]]:
    """Return our rules, in gitleaks' order."""
    retained = [rule for rule in toml["rules"] if rule["id"] not in LEFT_OUT]
    return [convert_rule(rule) for rule in retained if not IS_ID.search(rule["id"])]


def convert_rule(rule: dict[str, Any]) -> dict[str, Any]:
    """Return one rule: its name, keywords, expression, and lowest entropy."""
    fields = {
        "id": rule["id"],
        "name": name_of(rule["id"]),
        "keywords": [keyword.lower() for keyword in rule["keywords"]],
        **split(rule["regex"]),
    }
    return fields | ({"entropy": rule["entropy"]} if rule.get("entropy") else {})


def name_of(identifier: str) -> str:
    """Return how a mark calls it: `digitalocean-access-token` is a `DigitalOcean access token`."""
    parts = [WORDS.get(word, word) for word in identifier.split("-")]
    first = parts[0] if parts[0] in WORDS.values() else parts[0].capitalize()
    return " ".join([first, *parts[1:]]).replace("/", "")


def split(regex: str) -> dict[str, str]:
    """Return the name that must stand before the secret, if any, and the secret."""
    for end in ENDS:
        regex = regex.replace(end, NOT_LONGER)
    for near in NEAR:
        context, link, secret = regex.partition(near)
        if link and "|\\b" not in secret:
            context = context.replace("(?i)", "").replace(HEAD, "").replace("(?i:", "", 1)
            return {"context": translate(context), "regex": translate(f"(?i){secret}")}
    if NEAR[0] in regex:  # Atlassian: with its name before it, which is an assignment, or alone
        regex = regex.rpartition("|\\b")[2]
    for begin in (r"(?i)\b", r"\b"):
        if regex.startswith(begin):
            regex = begin.removesuffix(r"\b") + regex.removeprefix(begin)
    return {"regex": translate(regex.removeprefix(BEGIN))}


def translate(regex: str) -> str:
    """Return an expression of Go's for Python: flags hold until the end of their group."""
    regex = regex.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    out, depth, opened, at = "", 0, list[int](), 0
    while at < len(regex):
        if regex.startswith("(?i)", at):
            out, opened, at = out + "(?i:", [*opened, depth], at + 4
            continue
        piece = (
            re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL).match(regex, at) or [""]
        )[0]
        depth += (piece == "(") - (piece == ")")
        if piece == "(" and regex[at + 1] != "?":
            piece = "(?:"
        while opened and depth < opened[-1]:
            out += ")"
            opened.pop()
        if piece == "|" and opened and opened[-1] == depth and out[-1:] != "(":
            raise ValueError(f"an alternative after a flag: {regex}")
        out, at = out + piece, at + len(piece.replace("(?:", "("))
    out += ")" * len(opened)
    out = re.sub(r"\(\?P<\w+>", "(?:", out)
    re.compile(out)
    return out


def main(toml: str, licence: str, version: str) -> None:
    """Write the data."""
    data = {
        "source": "https://github.com/gitleaks/gitleaks, config/gitleaks.toml, converted",
        "version": version,
        "licence": Path(licence).read_text("utf-8").splitlines(),
        "left out": LEFT_OUT,
        "rules": convert(tomllib.loads(Path(toml).read_text("utf-8"))),
    }
    DATA.write_text(format_data(data), "utf-8")


def format_data(data: dict[str, Any]) -> str:
    """Return the data as JSON with a rule a line."""
    rules = ",\n".join(f"  {json.dumps(rule, ensure_ascii=False)}" for rule in data["rules"])
    head = json.dumps({**data, "rules": []}, indent=1, ensure_ascii=False)
    return head.removesuffix("[]\n}") + f"[\n{rules}\n ]\n}}\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
