"""The log of requests, and a model that replays one."""
