// What a thread looks like after an event: the only place that knows what events mean. Live events,
// a reload, a second tab and a replay all come through here.

export const EMPTY = {
  seq: 0, thread: null, items: [], isRunning: false, since: "", isCut: false, usage: null, todos: [],
  model: "", mode: "", isPlan: false, questions: 0, changes: 0, until: "",
};

export function reduce(state, message) {
  const { type, data, meta } = message;
  if (type === "history") return fromHistory(data, meta.seq, state);
  // was here already
  if (meta.seq <= state.seq) return state;
  const handler = HANDLERS[type];
  const next = handler ? handler(state, { ...data, at: meta.time }) : state;
  return { ...next, seq: meta.seq };
}

function fromHistory({ thread, entries, is_running, is_cut, usage, chosen = {} }, seq, before) {
  const isRunning = is_running || thread?.status === "running";
  const items = hold(mend(entries.map(fromEntry).filter(Boolean)), isRunning ? "run" : thread?.status === "waiting" ? "wait" : "still");
  const todos = findTodos(entries);
  return {
    ...EMPTY, seq, thread, items: isRunning || thread?.status === "waiting" ? items : showFailure(items), todos, isRunning, since: entries.findLast(({ kind }) => kind === "human")?.at, until: entries.at(-1)?.at,
    isCut: is_cut, questions: before.questions + 1, changes: before.changes + 1,
    usage: usage || before.usage, model: chosen.model || before.model, mode: chosen.mode || before.mode, isPlan: Boolean(chosen.plan),
  };
}

function findTodos(entries) {
  const call = entries.findLast((entry) => entry.kind === "call" && Array.isArray(entry.args?.todos));
  return call ? call.args.todos : [];
}

export function fromEntry(entry) {
  const text = entry.text || "";
  switch (entry.kind) {
    case "call":
      return {
        kind: "call", at: entry.at, id: entry.call_id, tool: entry.tool, args: entry.args || {}, ok: entry.ok,
        output: (entry.result || "").replace(entry.ok === false ? /^Error: / : "", ""), diff: entry.facts?.diff || "", agent: entry.agent || "",
        isEdited: Boolean(entry.facts?.edited), hasRun: hasRun(entry.facts),
      };
    case "human": case "answer": case "thinking": case "interrupted": case "aside": case "mode":
    case "compacted": case "shortened":
      return { kind: entry.kind, text };
    case "tests":
      return { kind: "tests", text, status: entry.facts?.verdict || "" };
    case "outcome":
      return { kind: "outcome", text };
    case "subagent":
      return { kind: "subagent", id: entry.agent, text, report: entry.result || "",
        status: entry.facts?.status || "", items: [], isPartial: true };
    default:
      return null;
  }
}

const hasRun = (facts) => facts?.exit_code !== undefined;

// Calls without a result run, `wait` while a question does, or are `still` where the run has ended
const hold = (items, stand) => items.map((item) => (item.kind === "subagent" ? { ...item, items: hold(item.items, stand) }
  : item.kind === "call" && (item.ok ?? null) === null && (item.stand || "run") !== stand ? { ...item, stand } : item));

const getSubject = ({ tool, args }) => `${tool} ${args.command || args.file_path || JSON.stringify(args)}`;

export const listTurn = (items) => items.slice(items.findLastIndex(({ kind }) => kind === "human") + 1);

// A failed call is mended by the same one that goes well later in its turn
function mend(items) {
  if (!items.some(({ ok, isMended }) => ok === false && !isMended)) return items;
  const good = new Set();
  return items.slice().reverse().map((item) => {
    if (item.kind === "human") good.clear();
    if (item.ok) good.add(getSubject(item));
    return item.ok === false && !item.isMended && good.has(getSubject(item)) ? { ...item, isMended: true, isShown: false } : item;
  }).reverse();
}

// Calls of the last turn that have failed, and were not mended
export const listFailures = (items) => listTurn(items).filter(({ ok, isMended }) => ok === false && !isMended);

export const hasDiff = ({ ok, diff, items }) => (ok && diff) || items?.some(hasDiff);

const TESTING = /\b(pytest|unittest|jest|vitest|rspec|phpunit|ctest|tox|nox|(npm|pnpm|yarn|bun|deno|cargo|go|make|mvn|gradle|dotnet|swift|mix|rake)( run)? test)\b[^|;]*$/;

// What the last tests of a turn say, unless a file was changed after them
export function findVerdict(turn) {
  const at = turn.findLastIndex(({ kind, hasRun, args }) => kind === "tests" || (hasRun && TESTING.test(args.command)));
  return at < 0 || turn.slice(at).some(hasDiff) ? "" : turn[at].status || (turn[at].ok ? "passed" : "failed");
}

// What a turn has ended with that failed: its last command, or its error
export function findFailure(turn, thread) {
  const { tool, args, ok, hasRun, isMended } = turn.findLast(({ kind }) => kind === "call") || {};
  if (thread?.status === "failed") return turn.findLast(({ kind }) => kind === "error")?.text || "";
  return ok === false && hasRun && !isMended && thread?.status === "idle" ? args.command || tool : "";
}

// The last failure of a turn that has ended is seen
function showFailure(items) {
  const last = listFailures(items).at(-1);
  return last ? items.map((item) => (item === last ? { ...item, isShown: true } : item)) : items;
}

const add = (state, item) => ({ ...state, items: [...state.items, item] });

function update(state, test, change) {
  const at = state.items.findLastIndex(test);
  if (at < 0) return null;
  const items = state.items.slice();
  items[at] = { ...items[at], ...change(items[at]) };
  return { ...state, items };
}

// What a sub-agent does belongs below its row, if there is one
const inChild = (handler) => (state, data) => (!data.agent ? handler(state, data)
  : update(state, (item) => item.kind === "subagent" && item.id === data.agent,
    (item) => ({ items: handler({ ...EMPTY, items: item.items }, { ...data, agent: "" }).items })) || handler(state, data));

function addText(state, kind, { text, agent }) {
  if (agent) return state;
  const last = state.items.at(-1);
  if (last?.kind === kind && last.isOpen) {
    return { ...state, items: [...state.items.slice(0, -1), { ...last, text: last.text + text }] };
  }
  return add(closeTexts(state, "thinking"), { kind, text, isOpen: true });
}

function closeTexts(state, only) {
  if (!state.items.some((item) => item.isOpen && (!only || item.kind === only))) return state;
  const items = state.items.map((item) =>
    item.isOpen && (!only || item.kind === only) ? { ...item, isOpen: only ? item.isOpen : false } : item);
  return { ...state, items };
}

// What came of an answer that is begun again does not count
const dropOpen = (state) => ({ ...state, items: state.items.filter((item) => !item.isOpen) });

function addCall(state, { id, tool, args, agent, at }) {
  const call = { kind: "call", at, id, tool, args, agent, ok: null, output: "", diff: "" };
  return update(state, (item) => item.kind === "call" && item.id === id, () => ({ tool, args })) ||
    add(closeTexts(state), call);
}

function finishCall(state, { id, tool, ok, output, error, metadata, args, agent }) {
  const change = () => ({ ok, output: [output, error].filter(Boolean).join("\n"), diff: metadata?.diff || "", isLive: false, hasRun: hasRun(metadata) });
  const next = update(state, (item) => item.kind === "call" && item.id === id, change) ||
    add(state, { kind: "call", id, tool, args: args || {}, agent, ...change() });
  return ok ? { ...next, items: mend(next.items) } : next;
}

function end(state, status, until) {
  const thread = state.thread && { ...state.thread, status };
  const closed = closeTexts(state);
  return { ...closed, items: hold(status === "waiting" ? closed.items : showFailure(closed.items), "still"), thread, until, isRunning: false, changes: state.changes + 1 };
}

const STATUS = { verified: "done", answered: "idle" };

const HANDLERS = {
  run_started: (state, data) => ({
    ...state, items: hold(state.items, "run"), isRunning: true, since: data.at, model: data.model, mode: data.mode,
    thread: { ...(state.thread || { thread_id: data.thread_id, graph: "chat" }),
      title: data.title, folder: data.folder, status: "running" },
    questions: state.questions + 1,
  }),
  user_message: (state, { text }) => add(closeTexts(state), { kind: "human", text }),
  steered: (state, { text }) => add(closeTexts(state), { kind: "human", text }),
  output: inChild((state, data) => addText(state, "answer", data)),
  thinking: inChild((state, data) => addText(state, "thinking", data)),
  token_usage: (state, data) => (data.agent ? state : { ...closeTexts(state), usage: data }),
  retry: inChild((state, data) => (data.agent ? state : add(dropOpen(state), { kind: "notice", text: data.reason }))),
  model_changed: (state, data) =>
    data.agent ? state : add(dropOpen(state), { kind: "notice", text: `${data.from} → ${data.to}: ${data.reason}` }),
  tool_call: inChild(addCall),
  tool_output: inChild((state, { id, text }) =>
    update(state, (item) => item.kind === "call" && item.id === id,
      (item) => ({ output: ((item.isLive ? item.output : "") + text).slice(-20000), isLive: true })) || state),
  tool_result: inChild(finishCall),
  call_edited: (state, { id, args }) =>
    update(state, (item) => item.kind === "call" && item.id === id, () => ({ args, isEdited: true })) || state,
  todos: (state, { items, agent }) => (agent ? state : { ...state, todos: items }),
  mode: (state, { mode }) => add({ ...state, isPlan: mode === "plan" }, { kind: "mode", text: mode }),
  plan: (state, { text }) => add(state, { kind: "plan", text }),
  plan_response: (state, { response }) => add(state, { kind: "plan", text: response }),
  notice: (state, { text, agent }) => (agent ? state : add(state, { kind: "notice", text })),
  files_changed: (state) => ({ ...state, changes: state.changes + 1 }),
  evidence: (state, data) => add(state, { kind: "tests", text: data.command || "", status: data.verdict }),
  compaction_finished: (state, data) =>
    data.agent ? state : add(state, { kind: "compacted", text: data.summary || "" }),
  subagent_started: (state, { sub_id, agent, task }) =>
    update(state, (item) => item.kind === "subagent" && item.id === sub_id, () => ({ status: "running" })) ||
    add(state, { kind: "subagent", id: sub_id, text: task || agent, report: "", status: "running", items: [] }),
  subagent_finished: (state, { sub_id, status, report }) =>
    update(state, (item) => item.kind === "subagent" && item.id === sub_id,
      (item) => ({ status, report, items: closeTexts(item).items })) || state,
  question: (state, { at }) => {
    const next = end(state, "waiting", at);
    return { ...next, items: hold(next.items, "wait"), questions: state.questions + 1 };
  },
  completion: (state, data) => {
    const next = end(state, STATUS[data.outcome] || data.outcome, data.at);
    return data.graph === "chat" ? next : add(next, { kind: "outcome", text: data.outcome, summary: data.summary });
  },
  interrupted: (state, { at }) => add(end(state, "interrupted", at), { kind: "interrupted", text: "" }),
  error: (state, data) => add(end(state, "failed", data.at), { kind: "error", text: data.message, hint: data.hint }),
};
