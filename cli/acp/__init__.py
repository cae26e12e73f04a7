"""The Agent Client Protocol: conversations in editors, as JSON-RPC over stdin and stdout."""
