"""Programs that talk to other machines, whatever else they do."""

import re

from .builtins import FETCHERS
from .simple_command import SimpleCommand

_CLIENTS_LIST = """
aws dig drill finger ftp gh grpcurl gsutil host httpie kdig links logger lynx mail mailx
mosquitto_pub msmtp mutt nc.openbsd nc.traditional nslookup ping ping6 rclone redis-cli rsync scp
sendmail sftp ssh telnet tftp traceroute w3m websocat whois wscat ztcp
"""
_CLIENTS = FETCHERS | frozenset(_CLIENTS_LIST.split())
SOCKET = re.compile(r"/dev/(tcp|udp)/.*")
"""Files by which bash opens a connection."""


def is_network_client(step: SimpleCommand) -> bool:
    """Whether the step's program, or a redirection of it, reaches another machine."""
    if step.program == "openssl":
        return any(word.text == "s_client" for word in step.words[1:2])
    sockets = (SOCKET.fullmatch(redirect.target.text) for redirect in step.redirects)
    return step.program in _CLIENTS or any(sockets)
