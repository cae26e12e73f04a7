"""Programs that use the network."""

import re

from .simple_command import SimpleCommand

_FETCHERS_LIST = """
aria2c curl fetch ftp http https links lynx nc ncat netcat socat wget xh
"""
_CLIENTS_LIST = """
aws dig drill finger gh grpcurl gsutil host httpie kdig logger mail mailx mosquitto_pub msmtp mutt
nc.openbsd nc.traditional nslookup ping ping6 rclone redis-cli rsync scp sendmail sftp ssh telnet
tftp traceroute w3m websocat whois wscat ztcp
"""
_SERVICES_LIST = """
az createdb dropdb flyctl gcloud glab heroku lftp mongo mongosh mysql mysqldump netlify pg_dump
pg_restore psql ssh-copy-id vercel
"""
_USEFUL_OFFLINE_LIST = """
drill fetch finger grpcurl gsutil http https kdig links logger lynx mail mailx mosquitto_pub msmtp
mutt nc.openbsd nc.traditional rclone rsync sendmail socat tftp w3m websocat wscat xh ztcp
"""
# programs that download data, which another program may run
FETCHERS = frozenset(_FETCHERS_LIST.split())
# programs that can send their input to any host
CLIENTS = FETCHERS | frozenset(_CLIENTS_LIST.split())
# programs that fail in a sandbox without network: the user is asked before they run; others are
# tried inside
NETWORK_ONLY = (CLIENTS | frozenset(_SERVICES_LIST.split())) - frozenset(
    _USEFUL_OFFLINE_LIST.split()
)
# Files with which bash opens a connection
SOCKET = re.compile(r"/dev/(tcp|udp)/.*")


def is_network_client(step: SimpleCommand) -> bool:
    """Return whether the step's program, or one of its redirections, uses the network."""
    if step.program == "openssl":
        return any(word.text == "s_client" for word in step.words[1:2])
    sockets = (SOCKET.fullmatch(redirect.target.text) for redirect in step.redirects)
    return step.program in CLIENTS or any(sockets)
