"""Which MCP servers an administrator's policy lets be used: by command or URL, not by name."""

from ...config.settings.policy_file import load_managed_policy
from .server_config import McpServer


def explain_refused_server(server: McpServer) -> str:
    """Explain why a server may not be used; empty if it may. Raises UsageError without a policy
    that can be read.
    """
    policy = load_managed_policy()
    if policy is None:
        return ""
    command = (server.command, *server.args)
    return policy.explain_refused_server(command, server.url, tuple(server.env), server.cwd)
