// Reaches one phase with the TypeScript SDK, then kills the agent or this client.
// node sdk_kills.mjs VERSION FOLDER SDK PHASE VICTIM SESSION COMMAND...; the victim `nobody` has the
// thread go on to its end. Prints `agent PID`, `session ID` and `kill PHASE`, each when it is so.
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [version, folder, sdk, phase, victim, old, ...command] = process.argv.slice(2);
const entry = version === "1" ? "v1/stable/acp.js" : "v2/stable/acp.js";
const acp = await import(pathToFileURL(`${sdk}/dist/${entry}`).href);
const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
writeSync(1, `agent ${child.pid}\n`);
child.on("exit", () => process.exit(0));

function kill(reached) {
  if (victim === "nobody" || reached !== phase) return;
  writeSync(1, `kill ${reached}\n`);
  if (victim === "agent") child.kill("SIGKILL");
  else process.kill(process.pid, "SIGKILL");
}

let idle = () => {};
let ask = () => {};
const asked = new Promise((resolve) => (ask = resolve));
const app = acp
  .client({ name: "interop" })
  .onRequest("session/request_permission", ({ params }) => {
    ask();
    kill("permission");
    if (phase === "cancel") return new Promise(() => {});
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .onNotification("session/update", ({ params: { update } }) => {
    kill(update.sessionUpdate);
    if (update.sessionUpdate === "state_update" && update.state === "idle") idle();
  });

const greeting =
  version === "1"
    ? { protocolVersion: 1, clientCapabilities: {} }
    : { protocolVersion: 2, info: { name: "interop", version: "1" }, capabilities: {} };
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await app.connectWith(stream, async (agent) => {
  function send(name, method, params) {
    const answer = agent.request(method, params);
    answer.catch(() => {});
    setImmediate(() => kill(name)); // once the request is written
    return answer;
  }
  async function prompt(sessionId, text) {
    const ended = new Promise((resolve) => (idle = resolve));
    const request = { sessionId, prompt: [{ type: "text", text }] };
    const answer = await send("prompt", "session/prompt", request);
    if (version === "2") await ended;
    return answer;
  }
  await send("initialize", "initialize", greeting);
  const place = { cwd: folder, mcpServers: [] };
  let session = old;
  if (!session) {
    session = (await send("new", "session/new", place)).sessionId;
    writeSync(1, `session ${session}\n`);
    const turn = prompt(session, "Count.");
    turn.catch(() => {});
    if (phase === "cancel") {
      await asked;
      await agent.notify("session/cancel", { sessionId: session });
      setImmediate(() => kill("cancel"));
    }
    await turn;
  } else {
    await send("list", "session/list", { cwd: folder });
    const back = version === "1" ? ["session/load", {}] : ["session/resume", { replayFrom: { type: "start" } }];
    await send("load", back[0], { sessionId: session, ...place, ...back[1] });
    if (phase === "fork") await send("fork", "session/fork", { sessionId: session, ...place });
    if (phase === "close") await send("close", "session/close", { sessionId: session });
    else await prompt(session, "/resume");
  }
});
child.stdin.end();
