"""Keys, tokens and histories in the user's home, which no command may see."""

import os
import pwd
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_NAMES = {
    "keys": """
        .ssh .gnupg .password-store .local/share/keyrings .local/share/kwalletd .config/sops
        .vault-token .electrum .bitcoin .ethereum Library/Keychains .age .config/age
        .config/1Password .config/Bitwarden .config/rbw .local/share/pass .Xauthority .ICEauthority
        .vnc/passwd .erlang.cookie .authinfo .authinfo.gpg .msmtprc .fetchmailrc .mbsyncrc
        .config/msmtp .smbcredentials .consul-token .nomad-token .tsh
    """,
    "clouds": """
        .aws .azure .kube .oci .config/gcloud .config/doctl .config/op .config/rclone .s3cfg .boto
        .databrickscfg .snowflake .kaggle .terraformrc .terraform.d/credentials.tfrc.json
        .huggingface/token .cache/huggingface/token .aliyun .bluemix .cloudflared .config/.wrangler
        .config/configstore .config/hcloud .config/linode-cli .config/netlify .config/ngrok
        .config/scw .config/stripe .fly/config.yml .local/share/com.vercel.cli
        .pulumi/credentials.json .wrangler .modal.toml .cf .config/exoscale .config/firebase
        .config/fly .config/flyctl .config/heroku .config/kaggle .config/neonctl .config/openstack
        .config/planetscale .config/railway .config/supabase .config/turso .config/twilio-cli
        .gsutil .ovh.conf .railway .render .supabase .twilio-cli .vultr-cli.yaml
        .cache/huggingface/stored_tokens .clearml.conf clearml.conf .comet.config .config/wandb
        .replicate
    """,
    "containers": ".docker .dockercfg .config/containers/auth.json .colima .orbstack .lima .rd",
    "code and packages": """
        .config/gh .config/glab-cli .config/hub .config/git/credentials .git-credentials .netrc
        .npmrc .yarnrc.yml .pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials
        .m2/settings.xml .gradle/gradle.properties .bundle/config .composer/auth.json
        .config/composer/auth.json .config/nix/nix.conf .config/pypoetry/auth.toml
        .local/share/uv/credentials .nuget/NuGet .subversion/auth .condarc .config/pip/pip.conf
        .pip/pip.conf .bunfig.toml .config/jfrog .jfrog .ivy2/.credentials .sbt/.credentials
        .m2/settings-security.xml .microsoft/usersecrets .config/sentry .sentryclirc .config/tea
        .config/exercism .hex/hex.config .pub-cache/credentials.json
    """,
    "databases": """
        .pgpass .my.cnf .mylogin.cnf .psql_history .mysql_history .sqlite_history .dbshell
        .rediscli_history
    """,
    "agents": """
        .claude .claude.json .codex .gemini .qwen .aider .aider.conf.yml .config/opencode
        .config/github-copilot .config/goose .local/share/goose .local/share/crush .continue .kiro
        .config/io.datasette.llm/keys.json .config/anthropic .config/openai .openai .config/mods
        .local/share/opencode
    """,
    "browsers": """
        .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware
        .config/microsoft-edge .config/opera .config/vivaldi .librewolf .zen snap/firefox
        snap/chromium .var/app Library/Cookies
    """,
    "histories": """
        .bash_history .zsh_history .local/share/fish .python_history .node_repl_history
        .irb_history .local/share/atuin .lesshst .viminfo
    """,
}


def find_homes() -> set[Path]:
    """Return the user's home, both from the environment and from the system."""
    homes = {os.path.expanduser("~")}
    with suppress(KeyError):  # a container's user may not be in the list
        homes.add(pwd.getpwuid(os.getuid()).pw_dir)
    return {Path(home) for home in homes}


def find_secrets(folders: Iterable[Path]) -> list[Path]:
    """Find the secret paths that exist, as real paths."""
    named = list_secret_paths(folders)
    return sorted({Path(os.path.realpath(path)) for path in named if os.path.exists(path)})


def list_secret_paths(folders: Iterable[Path]) -> list[Path]:
    """List all secret paths, existing or not."""
    names = [name for kind in _NAMES.values() for name in kind.split()]
    return [folder / name for folder in folders for name in names]


def is_secret_path(path: Path) -> bool:
    """Return whether a path is, lies in, or leads to a secret path of the user."""
    homes = find_homes()
    secrets = {*list_secret_paths(homes), *list_secret_paths(map(_resolve, homes))}
    return any(place in secrets for start in (path, _resolve(path)) for place in _list_above(start))


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _list_above(path: Path) -> tuple[Path, ...]:
    return (path, *path.parents)
