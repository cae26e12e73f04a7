// Every kind of run, by the client of AG-UI, which checks each event and its order.
// node agui_client.mjs MODULES PLACE; prints what each step ended with, as one JSON object.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, given] = process.argv.slice(2);
const place = JSON.parse(given);
const require = createRequire(`${modules}/x.js`);
const { HttpAgent, buildResumeArray } = await import(pathToFileURL(require.resolve("@ag-ui/client")).href);
const headers = { Authorization: `Bearer ${place.token}` };
const report = { steps: {}, types: {}, complaints: [] };
let step = "";
for (const name of ["warn", "error"]) {
  console[name] = (...words) => report.complaints.push(`${step}: ${words.map(String).join(" ")}`);
}

function open(script, choices = {}, threadId = undefined) {
  const agent = new HttpAgent({ url: `${place.url}/agui`, headers, ...(threadId ? { threadId } : {}) });
  const events = [];
  agent.subscribe({
    onEvent: ({ event }) => {
      events.push(event);
      report.types[event.type] = (report.types[event.type] ?? 0) + 1;
    },
  });
  const mcode = { mode: "auto", ...(script ? { model: place.scripts[script] } : {}), ...choices };
  const run = async (parameters = {}) => {
    events.length = 0;
    await agent.runAgent({ forwardedProps: { mcode }, ...parameters });
    return events.at(-1);
  };
  const say = (content) => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
    return run();
  };
  const answer = (make) => {
    const responses = Object.fromEntries(agent.pendingInterrupts.map((each, at) => [each.id, make(each, at)]));
    return run({ resume: buildResumeArray(agent.pendingInterrupts, responses) });
  };
  return { agent, events, run, say, answer };
}

const yes = { status: "resolved", payload: { approved: true } };
const no = { status: "resolved", payload: { approved: false, reason: "not now" } };

function expect(condition, ...seen) {
  if (!condition) throw new Error(`not as expected: ${JSON.stringify(seen).slice(0, 900)}`);
}

const texts = (agent, role = "assistant") => agent.messages.filter((each) => each.role === role).map((each) => each.content).filter(Boolean);
const calls = (agent) => agent.messages.flatMap((each) => each.toolCalls ?? []);
const ask = async (path, body) => {
  const response = await fetch(`${place.url}/api/threads/${path}`, {
    method: body ? "POST" : "GET", headers: { ...headers, "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return response.json();
};
const success = (end) => expect(end.type === "RUN_FINISHED" && end.outcome?.type === "success", end);
const asks = (end, count) => expect(end.outcome?.type === "interrupt" && end.outcome.interrupts.length === count, end);

const STEPS = {
  async "message, thinking, state"() {
    const { agent, say } = open("talk");
    success(await say("Hello"));
    expect(texts(agent).join() === "Hello to you.", agent.messages);
    expect(texts(agent, "reasoning").join() === "They greet me.", agent.messages);
    expect(agent.state.mode === "auto" && agent.state.usage.requests === 1, agent.state);
    success(await say("Again"));
    expect(texts(agent).at(-1) === "And again." && texts(agent, "user").length === 2, agent.messages);
  },
  async "calls, results, todos"() {
    const { agent, say } = open("calls");
    success(await say("Work"));
    expect(calls(agent).map((each) => each.function.name).join() === "todowrite,write_file,run_command", calls(agent));
    expect(JSON.parse(calls(agent)[1].function.arguments).file_path === "agui.txt", calls(agent));
    const results = agent.messages.filter((each) => each.role === "tool");
    expect(results.length === 3 && results[2].content.includes("line of the file"), results);
    expect(agent.state.todos.length === 2, agent.state);
  },
  async "a failed call"() {
    const { agent, say } = open("broken");
    success(await say("Read it"));
    const [result] = agent.messages.filter((each) => each.role === "tool");
    expect(result.metadata.mcode.ok === false && result.content, result);
  },
  async "task: steps and tests"() {
    const { agent, events, say } = open("task", { graph: "task" });
    const end = await say("Write the file");
    expect(end.outcome?.type === "interrupt" || end.outcome?.type === "success", end);
    const names = events.filter((each) => each.type === "STEP_STARTED").map((each) => each.stepName);
    expect(names.includes("coder") && names.includes("architect"), names);
    if (end.outcome.type === "interrupt") success(await open_answer(agent, yes));
  },
  async "interrupt: yes"() {
    const { agent, say, answer } = open("ask", { mode: "ask" });
    asks(await say("Touch it"), 1);
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt.reason === "tool_call" && calls(agent)[0].id === interrupt.toolCallId, interrupt);
    success(await answer(() => yes));
    expect(calls(agent).length === 1 && texts(agent).at(-1) === "Touched.", agent.messages);
    expect(agent.messages.some((each) => each.toolCallId === interrupt.toolCallId), agent.messages);
  },
  async "interrupt: edited arguments"() {
    const { agent, say, answer } = open("ask", { mode: "ask" });
    asks(await say("Touch it"), 1);
    expect(agent.pendingInterrupts[0].responseSchema.properties.editedArgs, agent.pendingInterrupts);
    success(await answer(() => ({ status: "resolved", payload: { approved: true, editedArgs: { command: "echo edited by the client" } } })));
    expect(agent.messages.some((each) => each.role === "tool" && each.content.includes("edited by the client")), agent.messages);
  },
  async "interrupt: no, and cancelled"() {
    for (const response of [no, { status: "cancelled" }]) {
      const { agent, say, answer } = open("ask", { mode: "ask" });
      asks(await say("Touch it"), 1);
      success(await answer(() => response));
      expect(agent.messages.find((each) => each.role === "tool").metadata.mcode.ok === false, agent.messages);
    }
  },
  async "interrupt: words and choices"() {
    const { agent, say, answer } = open("words");
    asks(await say("Ask me"), 1);
    expect(agent.pendingInterrupts[0].reason === "input_required", agent.pendingInterrupts);
    success(await answer(() => ({ status: "resolved", payload: { text: "19 %" } })));
    expect(agent.messages.some((each) => each.role === "tool" && each.content.includes("19 %")), agent.messages);
  },
  async "interrupt: a plan"() {
    const { agent, say, answer } = open("", { mode: "plan", model: "openai/served" });
    asks(await say("Script plan: plan it"), 1);
    expect(agent.pendingInterrupts[0].metadata.mcode.texts[0].includes("Read the cart"), agent.pendingInterrupts);
    success(await answer(() => yes));
  },
  async "several calls of one answer"() {
    const { agent, say, answer } = open("pair", { mode: "ask" });
    let end = await say("Touch both");
    const asked = [];
    while (end.outcome?.type === "interrupt") {
      asked.push(...agent.pendingInterrupts.map((each) => each.toolCallId));
      end = await answer(() => yes);
    }
    success(end);
    expect(new Set(asked).size === 2, asked);
  },
  async "several interrupts at once, of children"() {
    const { agent, events, say, answer } = open("children", { mode: "ask" });
    asks(await say("Send them"), 3);
    expect(new Set(agent.pendingInterrupts.map((each) => each.subagentRunId)).size === 3, agent.pendingInterrupts);
    const ended = events.filter((each) => each.type === "SUBAGENT_FINISHED");
    expect(ended.every((each) => each.outcome.type === "suspended" && each.outcome.interruptIds.length === 1), ended);
    success(await answer((_, at) => [no, no, { status: "cancelled" }][at]));
    expect(texts(agent).at(-1) === "All told.", agent.messages);
  },
  async "children that report"() {
    const { agent, events, say } = open("sent");
    success(await say("Send them"));
    const names = events.filter((each) => each.type.startsWith("SUBAGENT_")).map((each) => each.type);
    expect(names.filter((each) => each === "SUBAGENT_FINISHED").length === 2, names);
    expect(agent.messages.some((each) => each.subagentRunId === "explore-1"), agent.messages);
  },
  async "a resume that is not complete"() {
    const { agent, events, say, run, answer } = open("children", { mode: "ask" });
    asks(await say("Send them"), 3);
    const [first, ...others] = agent.pendingInterrupts;
    const bad = [
      [],
      [{ interruptId: first.id, ...no }],
      [...others, first].map((each) => ({ interruptId: `${each.id}x`, ...no })),
      [...others, first].map((each) => ({ interruptId: each.id, status: "resolved", payload: { aproved: true } })),
    ];
    for (const resume of bad) {
      const body = { threadId: agent.threadId, runId: "r", messages: [], resume };
      const response = await fetch(`${place.url}/agui`, { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const text = await response.text();
      if (resume.length) expect(text.includes("RUN_ERROR"), text);
      else expect(text.includes('"interrupt"'), text); // looks on
    }
    success(await answer(() => no));
  },
  async "a message where answers are waited for"() {
    const { agent, say, answer } = open("ask", { mode: "ask" });
    asks(await say("Touch it"), 1);
    const other = open("ask", { mode: "ask" }, agent.threadId);
    const end = await other.say("And now?");
    expect(end.type === "RUN_ERROR" && end.message.includes("resume"), end);
    success(await answer(() => no));
  },
  async "stopped on the page: cancelled"() {
    const { agent, events, say } = open("sleep");
    const ended = say("Sleep");
    while (!events.some((each) => each.type === "TOOL_CALL_END")) await new Promise((resolve) => setTimeout(resolve, 20));
    await ask(`${agent.threadId}/stop`, {});
    const end = await ended;
    expect(end.type === "RUN_FINISHED" && end.outcome.type === "cancelled", end);
  },
  async "aborted, and come back"() {
    const { agent, events, say, run } = open("pause");
    const ended = say("Wait").catch(() => null);
    while (!events.some((each) => each.type === "TOOL_CALL_END")) await new Promise((resolve) => setTimeout(resolve, 20));
    agent.abortRun();
    await ended;
    const end = await run(); // the same messages: it looks on
    success(end);
    expect(texts(agent).at(-1) === "Waited." && texts(agent, "user").length === 1, agent.messages);
  },
  async "a thread of before, opened"() {
    const before = open("calls");
    success(await before.say("Work"));
    const { agent, run } = open("", {}, before.agent.threadId);
    success(await run());
    const shape = (each) => each.agent.messages.filter((one) => ["user", "assistant", "tool"].includes(one.role)).map((one) => [one.role, one.content ?? "", (one.toolCalls ?? []).map((call) => call.id)]);
    expect(JSON.stringify(shape(before)) === JSON.stringify(shape({ agent })), shape(before), shape({ agent }));
  },
  async "an answer that breaks off is begun again"() {
    const { agent, events, say } = open("", { model: "openai/served" });
    success(await say("Script cut: go"));
    expect(texts(agent).join("|") === "This is the whole answer, from its begin to its end.", agent.messages);
    expect(events.some((each) => each.type === "MESSAGES_SNAPSHOT"), events.map((each) => each.type));
  },
  async "a provider that refuses"() {
    const { say } = open("", { model: "openai/served" });
    const end = await say("Script refused: go");
    expect(end.type === "RUN_ERROR" && end.message, end);
  },
  async "a limit: left, and extended"() {
    const { agent, say, answer, run } = open("limit");
    asks(await say("Turn"), 1);
    expect(agent.pendingInterrupts[0].reason === "mcode:limit", agent.pendingInterrupts);
    const left = await answer(() => ({ status: "cancelled" }));
    expect(left.outcome.type === "cancelled", left);
    asks(await run(), 1);
    success(await answer(() => yes));
  },
  async "what is no run"() {
    const { agent, say } = open("", { mode: "root" });
    const end = await say("x");
    expect(end.type === "RUN_ERROR" && end.message.includes("root"), end);
    const wrong = new HttpAgent({ url: `${place.url}/agui`, headers: { Authorization: "Bearer x" } });
    const refused = await wrong.runAgent().then(() => "answered", (error) => String(error));
    expect(refused.includes("401"), refused);
    report.complaints = report.complaints.filter((each) => !each.includes("HTTP 401"));
  },
};

const open_answer = async (agent, response) => {
  const resume = agent.pendingInterrupts.map((each) => ({ interruptId: each.id, ...response }));
  let last = null;
  const seen = agent.subscribe({ onEvent: ({ event }) => { last = event; } });
  await agent.runAgent({ resume });
  seen.unsubscribe();
  return last;
};

for (const [name, work] of Object.entries(STEPS)) {
  step = name;
  if (place.only && !name.includes(place.only)) continue;
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error("nothing in 30 s")), 30_000); });
  try {
    await Promise.race([work(), late]);
    report.steps[name] = "done";
  } catch (error) {
    report.steps[name] = `failed: ${error?.message ?? error}`;
  }
  clearTimeout(timer);
  process.stderr.write(`${name}: ${report.steps[name]}\n`);
}
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
