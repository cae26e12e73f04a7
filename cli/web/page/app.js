// The page: the inbox beside a thread; on a phone one of both.

import { html, render, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { Choices, useDefaults } from "/page/choices.js";
import { follow, get, keepLanguage, post, readLanguage } from "/page/client.js";
import { Inbox, isWaiting, Problem, shortFolder } from "/page/inbox.js";
import { Memory, useCards } from "/page/memory.js";
import { Thread } from "/page/thread.js";
import { drawSentence } from "/page/text.js";
import { countWords, useWords, w } from "/page/words.js";

function usePlace() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = () => setHash(location.hash);
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  const match = /^#\/t\/([\w-]+)$/.exec(hash);
  return { thread: match ? match[1] : "", isNew: hash === "#/new", isMemory: hash === "#/memory" };
}

function useThreads() {
  const [rows, setRows] = useState(null);
  const [isConnected, setConnected] = useState(false);
  useEffect(() => follow("/api/events", {
    getPosition: () => 0,
    onMessage: (_, data) => setRows((before) => {
      const next = new Map(data.all ? [] : before);
      for (const row of data.threads) next.set(row.thread_id, row);
      for (const id of data.gone) next.delete(id);
      return next;
    }),
    onState: setConnected,
  }), []);
  return [[...rows?.values() || []], isConnected, rows?.size === 0];
}

function App({ first }) {
  const [server, setServer] = useState(first);
  const choose = async (name) => {
    const before = readLanguage();
    keepLanguage(name);
    const next = await get("/api/server").catch(() => null);
    if (next) useWords(next);
    else keepLanguage(before);
    setServer(next || { ...server });
  };
  const { thread, isNew, isMemory } = usePlace();
  const [threads, isConnected, isFirst] = useThreads();
  const [cards, setCards] = useCards(`${server.language}${isMemory}${threads.filter((row) => row.status === "running").length}`);
  const waiting = threads.filter(isWaiting).length;
  useEffect(() => { document.title = waiting ? `(${waiting}) MaxAgent` : "MaxAgent"; }, [waiting]);
  useEffect(() => {
    const press = (event) => {
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") { event.preventDefault(); document.getElementById("search")?.focus(); }
      if (event.key === "n") location.hash = "#/new";
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const isInbox = !thread && !isNew && !isMemory;
  return html`<div class=${`layout ${isInbox ? "at-inbox" : "at-thread"} ${isInbox && isFirst ? "at-first" : ""}`}>
    <${Inbox} threads=${threads} current=${isInbox ? null : thread} isConnected=${isConnected} cards=${cards.length} language=${server.language} choose=${choose} />
    ${thread ? html`<${Thread} key=${thread} id=${thread} server=${server} waiting=${threads.filter((row) => isWaiting(row) && row.thread_id !== thread)} />`
      : isMemory ? html`<${Memory} cards=${cards} setCards=${setCards} />`
      : html`<${NewThread} key=${isNew} server=${server} tag=${isNew ? "main" : "section"} waiting=${threads.filter(isWaiting)} />`}
  </div>`;
}

// The form of a new thread; beside the inbox it is no page of its own
function NewThread({ server, tag, waiting }) {
  const [text, setText] = useState("");
  const [folder, setFolder] = useState(server.folder);
  const [isOther, setOther] = useState(false);
  const [graph, setGraph] = useState("chat");
  const [mode, setMode] = useState("");
  const [model, setModel] = useState("");
  const [problem, setProblem] = useState(null);
  const [isSending, setSending] = useState(false);
  const defaults = useDefaults(server, server.folders.includes(folder) ? folder : "");
  const send = async (event) => {
    event.preventDefault();
    setSending(true);
    try {
      const body = { text, folder, graph, ...(mode && { mode }), ...(model && { model }) };
      const { thread_id } = await post("/api/threads", body);
      location.hash = `#/t/${thread_id}`;
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  const press = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event); };
  const hasNoModel = !defaults.models.length;
  const field = useRef(null);
  const isPage = tag === "main";
  useEffect(() => { if (isPage) field.current.focus(); }, [isPage]);
  return html`<${tag} class="thread" aria-label=${w("new")}><header class="phone"><a class="back" href="#/" aria-label=${w("back")}>←</a><strong>${w("new")}</strong></header>
    <div class="panel"><form class="new" onSubmit=${send}>
      <${isPage ? "h1" : "h2"} class="hero">${w("new_message")}</>
      ${waiting.length > 0 && html`<a class="button asked-for" href=${`#/t/${waiting[0].thread_id}`}>${countWords("wait", waiting.length)} →</a>`}
      <div class="box"><textarea ref=${field} rows="5" value=${text} aria-label=${w("message")} placeholder=${w("new_message.example")} onInput=${(event) => setText(event.target.value)} onKeyDown=${press} />
        <fieldset aria-label=${w("graph")}>${["chat", "task"].map((name) => html`<label class="kind-of" key=${name}><input type="radio" name="graph" checked=${graph === name} onChange=${() => setGraph(name)} />
          <span>${w(`graph.${name}`)}<small>${w(`graph.${name}.about`)}</small></span></label>`)}</fieldset>
        <label class="field"><span>${w("folder")}</span><select value=${isOther ? "" : folder} onChange=${({ target }) => { setOther(!target.value); setFolder(target.value); }}>
          ${server.folders.map((name) => html`<option value=${name}>${shortFolder(name)} — ${name.replace(/\/[^/]*$/, "") || "/"}</option>`)}<option value="">${w("folder.other")}</option></select></label>
        ${isOther && html`<label class="field"><input value=${folder} aria-label=${w("folder.path")} placeholder=${w("folder.path")} required autofocus onInput=${(event) => setFolder(event.target.value)} /></label>`}
        <div class="actions"><${Choices} server=${defaults} mode=${mode} model=${model} setMode=${setMode} setModel=${setModel} />
          <span class="space"></span><button class="primary" disabled=${isSending || !text.trim() || hasNoModel}>${w("start")}</button></div></div>
      ${hasNoModel && html`<p class="note warn">${drawSentence(w("no_model"))}</p>`}
      <${Problem} error=${problem} />
      ${!text && html`<div class="examples">${[1, 2, 3].map((number) => html`<button type="button" key=${number} onClick=${() => { setText(w(`example.${number}`)); field.current.focus(); }}>${w(`example.${number}`)}</button>`)}</div>`}
    </form></div></>`;
}

function Locked({ error }) {
  return html`<main class="locked"><h1>MaxAgent</h1><p role="alert">${error.message}</p>
    <button class="primary" onClick=${() => location.reload()}>↻</button></main>`;
}

async function start() {
  const root = document.getElementById("app");
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      const server = await get("/api/server");
      useWords(server);
      root.textContent = "";
      return render(html`<${App} first=${server} />`, root);
    } catch (error) {
      root.textContent = "";
      render(html`<${Locked} error=${error} />`, root);
      // it answers, and denies: another try changes nothing
      if (error.status) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

addEventListener("hashchange", () => { if (/[#&]token=/.test(location.hash)) location.reload(); });
start();
