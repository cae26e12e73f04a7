// Requests to the server: JSON, and streams of events that are gone on with after a cut.

const KEY = "mcode-token";

function readToken() {
  const match = /[#&]token=([\w-]+)/.exec(location.hash);
  if (match) {
    localStorage.setItem(KEY, match[1]);
    // no token in the address, where a picture shows it
    history.replaceState(null, "", "/#/");
  }
  return localStorage.getItem(KEY) || "";
}

const token = readToken();
const LANGUAGE = "mcode-language";
// Each in its own language
export const LANGUAGES = { en: "English", zh: "中文" };

const SILENT = { en: "The server does not answer.", zh: "服务器没有响应。" };

// The language that was chosen here; empty: the server's
export function readLanguage() {
  const name = localStorage.getItem(LANGUAGE);
  return LANGUAGES[name] ? name : "";
}

export const keepLanguage = (name) => localStorage.setItem(LANGUAGE, name);

export class RequestError extends Error {
  constructor(status, { message = "", hint = "" } = {}) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

async function request(path, options = {}) {
  const headers = { authorization: `Bearer ${token}`, [LANGUAGE]: readLanguage(), ...options.headers };
  const response = await fetch(path, { ...options, headers, cache: "no-store" }).catch(() => {
    throw new RequestError(0, { message: SILENT[readLanguage()] || Object.values(SILENT).join(" ") });
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new RequestError(response.status, body.error);
}

export async function get(path) {
  return (await request(path)).json();
}

export async function post(path, body = {}) {
  const headers = { "content-type": "application/json" };
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

// Follow a stream for ever: `onMessage(number, data)` for each event, `onState(isConnected)`.
// `getPosition()` is the number of the last event that was used.
export function follow(path, { getPosition, onMessage, onState }) {
  let controller = null;
  let isOver = false;
  let lastAt = 0;
  const run = async () => {
    let pause = 250;
    while (!isOver) {
      controller = new AbortController();
      try {
        const headers = { "last-event-id": String(getPosition()) };
        const response = await request(path, { headers, signal: controller.signal });
        onState(true);
        pause = 250;
        await read(response.body, (id, data) => onMessage(id, data), () => (lastAt = Date.now()));
      } catch (error) {
        if (isOver) return;
        if (error.status === 401 || error.status === 404) return onState(false, error);
      }
      onState(false);
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, 4000);
    }
  };
  const wake = () => {
    // a page that slept may hold a connection that is dead: the server sends something every 15 s
    if (document.visibilityState === "visible" && Date.now() - lastAt > 20000) controller?.abort();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  const timer = setInterval(wake, 20000);
  lastAt = Date.now();
  run();
  return () => {
    isOver = true;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", wake);
    removeEventListener("online", wake);
    controller?.abort();
  };
}

async function read(body, onMessage, onData) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onData();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const id = /^id: (\d+)$/m.exec(block);
      const data = /^data: (.*)$/m.exec(block);
      if (id && data) onMessage(Number(id[1]), JSON.parse(data[1]));
    }
  }
}
