"""Sub-agents: their input, their limits, their reports.

A run of a sub-agent is a child. `approve` turns a call of `subagent` into one call a task
(`nodes/subagents/calls.py`), and `dispatch` sends each to the node `subagent`: a group has one
child that writes at most, others run beside it. The node runs `graphs/subagent.py`, which is
compiled without a saver and so uses the thread's, under the checkpoint namespace `subagent:TASK`.
A child has the thread's ID, so its calls are in the same journal, its changes in the same file
history, and its questions wait as interrupts of the thread. After a kill only what had not
finished runs again; the lines of the node before `ainvoke` run at every resume and change nothing
then.

- State of a child: `nodes/subagents/child_state.py`, made of the payload of the `Send`
  (`payload.py`, `nodes/children/task.py`). Its options name its profile (`subagent`) and the one
  that sent it (`sender`), whose limits apply, too: `AgentProfile.with_parent`.
- Its `Context` has its ID, so `emit` marks every event with it, and the thread's writer,
  since LangGraph drops what nested graphs write.
- Which agents can be sent: `tools/runtime/sendable_agents.py`; its tools: `select_child_tools` in
  `tools/runtime/agent_tools.py`.
- What it may spend: `nodes/subagents/budget.py`; how many work at once: `nodes/children/slots.py`;
  its report: `report.py`; its row in the table `sub_runs`: `memory/threads/sub_runs.py`.
"""
