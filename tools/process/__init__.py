"""Child processes: launcher, supervisor, environment, capture and redaction of the output.

The way of a command:

- run_command, `tools/builtin/shell/run_command.py`: what runs unasked gets git's guard
  (hardened_git.py); the same way go commands after an edit (tools/runtime/invoke.py) and tests
  (tools/testing/execution.py)
- CommandRun, `tools/builtin/shell/shell_run.py`: the command as a task
  (tools/process/command_run.py): the call waits for it, or leaves it to the thread's
  BackgroundCommands (background_commands.py), which the pool ends
- Sandbox.wrap, `tools/sandbox/`: the whole tree is looked at (project_scan.py), rights are put
  together (profile_builder.py), a SandboxProfile, plain data, written as arguments of bubblewrap
  or a profile of sandbox-exec; names that must not come into being are guarded, by the same file;
  what the kernel refuses is a filter of system calls (syscall_filter.py)
- stream, `tools/process/launcher.py`: a pipe for the output, a clean environment (environment.py);
  the rest is asked of a helper over a socket
- supervisor, keeper, `tools/process/supervisor.py`: a script of its own: adopts whatever the
  command leaves, kills it at the end, or when MaxAgent is gone
- RedactingSink, `tools/process/stream_redaction.py`: whole lines without secrets, on their way to
  live events and the stored output
- without_secrets, `tools/runtime/result_redaction.py`: the same for every tool's result, before
  journal, messages and events

`tools/sandbox/detect.py` detects once what can confine commands here; the result is part of the
approval, so nothing that was allowed inside runs outside. Ripgrep, MaxAgent's own git and the
reader of web pages run without a sandbox. The confined commands of a thread share a loopback
(`tools/sandbox/private_network.py`): `docs/decisions/0028`.
"""
