// A client built on the TypeScript SDK, which checks every message by the protocol's schema.
// node sdk_client.mjs VERSION FOLDER COMMAND...; prints what it saw as one JSON object.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [version, folder, sdk, ...command] = process.argv.slice(2);
const entry = version === "1" ? "v1/stable/acp.js" : "v2/stable/acp.js";
const acp = await import(pathToFileURL(`${sdk}/dist/${entry}`).href);
const seen = { updates: {}, asked: 0, states: [], steps: {} };
let idle = () => {};
let hold = false;

const app = acp
  .client({ name: "interop" })
  .onRequest("session/request_permission", ({ params }) => {
    seen.asked += 1;
    if (hold) return new Promise(() => {});
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .onNotification("session/update", ({ params }) => {
    const { update } = params;
    seen.updates[update.sessionUpdate] = (seen.updates[update.sessionUpdate] ?? 0) + 1;
    if (update.sessionUpdate === "state_update") {
      seen.states.push(update.state);
      if (update.state === "idle") idle(update.stopReason);
    }
  });

function connect() {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  return { child, stream };
}

const greeting =
  version === "1"
    ? { protocolVersion: 1, clientCapabilities: { session: { notices: {}, compaction: {} } } }
    : { protocolVersion: 2, info: { name: "interop", version: "1" }, capabilities: {} };

async function prompt(agent, sessionId, text) {
  const ended = new Promise((resolve) => (idle = resolve));
  const request = { sessionId, prompt: [{ type: "text", text }] };
  const answer = await agent.request("session/prompt", request);
  return version === "1" ? answer.stopReason : await ended;
}

async function step(name, work) {
  try {
    seen.steps[name] = (await work()) ?? "done";
  } catch (error) {
    seen.steps[name] = `failed: ${error?.message ?? error}`;
  }
}

let session = "";
const first = connect();
await app.connectWith(first.stream, async (agent) => {
  await step("initialize", async () => (await agent.request("initialize", greeting)) && "done");
  await step("new", async () => {
    session = (await agent.request("session/new", { cwd: folder, mcpServers: [] })).sessionId;
  });
  await step("prompt", () => prompt(agent, session, "Make it."));
  await step("option", async () => {
    const value = { configId: "effort", value: "high", ...(version === "2" && { type: "id" }) };
    await agent.request("session/set_config_option", { sessionId: session, ...value });
  });
  await step("list", async () => {
    const { sessions } = await agent.request("session/list", { cwd: folder });
    return sessions.some((each) => each.sessionId === session) ? "done" : "failed: not listed";
  });
  hold = true;
  await step("cancel", async () => {
    const turn = prompt(agent, session, "Make another.");
    while (seen.asked < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    await agent.notify("session/cancel", { sessionId: session });
    return await turn;
  });
});
first.child.stdin.end();
hold = false;
const second = connect();
await app.connectWith(second.stream, async (agent) => {
  await agent.request("initialize", greeting);
  const place = { sessionId: session, cwd: folder, mcpServers: [] };
  await step(version === "1" ? "load" : "resume", async () => {
    const ended = new Promise((resolve) => (idle = resolve));
    if (version === "1") await agent.request("session/load", place);
    else await agent.request("session/resume", { ...place, replayFrom: { type: "start" } });
    while (seen.asked < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    if (version === "2") await ended;
  });
  await step("close", async () => {
    await agent.request("session/close", { sessionId: session });
  });
  await step("delete", async () => {
    await agent.request("session/delete", { sessionId: session });
  });
});
second.child.stdin.end();
console.log(JSON.stringify(seen));
process.exit(0);
