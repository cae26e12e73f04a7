// One list of all threads: those that wait for you, those that run, the others.

import { html, useEffect, useState } from "/page/vendor/htm-preact.js";
import { get, LANGUAGES } from "/page/client.js";
import { ago, w } from "/page/words.js";

const GROUPS = [
  ["waiting", (row) => ["waiting", "limit"].includes(row.status)],
  ["running", (row) => row.status === "running"],
  ["done", () => true],
];

function useSearch(words) {
  const [result, setResult] = useState(null);
  useEffect(() => {
    if (!words.trim()) return setResult(null);
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const { threads } = await get(`/api/threads?q=${encodeURIComponent(words)}`).catch(() => ({ threads: [] }));
      if (isCurrent) setResult(new Set(threads.map((row) => row.thread_id)));
    }, 150);
    return () => { isCurrent = false; clearTimeout(timer); };
  }, [words]);
  return result;
}

export function Inbox({ threads, current, isConnected, cards, language, choose }) {
  const [words, setWords] = useState("");
  const found = useSearch(words);
  const rows = threads.filter((row) => !found || found.has(row.thread_id))
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const groups = GROUPS.map(([name]) => [name, []]);
  for (const row of rows) groups[GROUPS.findIndex(([, fits]) => fits(row))][1].push(row);
  return html`<${current === null ? "main" : "nav"} class="inbox" aria-label=${w("threads")}>
    <div class="bar">
      <${current === null ? "h1" : "strong"}>MaxAgent</>
      <span class=${`dot ${isConnected ? "on" : "off"}`} role="img" aria-label=${w(isConnected ? "connected" : "disconnected")} title=${w(isConnected ? "connected" : "disconnected")}></span>
      <select class="language" aria-label=${w("language")} value=${language} onChange=${(event) => choose(event.target.value)}>
        ${Object.entries(LANGUAGES).map(([name, own]) => html`<option value=${name} lang=${name}>${own}</option>`)}</select>
      <a class="button primary" href="#/new">${w("new")}</a>
    </div>
    <input id="search" type="search" placeholder=${w("search")} aria-label=${w("search")} value=${words}
      onInput=${(event) => setWords(event.target.value)} />
    <a class="row" href="#/memory">${w("memory")} <span class="count">${cards}</span></a>
    ${!rows.length && html`<p class="empty">${w(words ? "nothing_found" : "no_threads")}</p>`}
    ${groups.filter(([, members]) => members.length).map(([name, members]) => html`
      <section key=${name} aria-label=${w(`group.${name}`)}>
        <h2>${w(`group.${name}`)} <span class="count">${members.length}</span></h2>
        <ul>${members.slice(0, 200).map((row) => html`<${Row} key=${row.thread_id} row=${row} isCurrent=${row.thread_id === current} />`)}</ul>
      </section>`)}
  </>`;
}

function Row({ row, isCurrent }) {
  const folder = row.folder.split("/").filter(Boolean).pop() || "/";
  return html`<li><a class="row" href=${`#/t/${row.thread_id}`} aria-current=${isCurrent ? "page" : null}>
    <span class="title">${row.name || row.title || row.thread_id.slice(0, 8)}</span>
    <span class="facts"><span class=${`status ${row.status}`}>${w(`status.${row.status}`)}</span>
      <span>${folder}</span><time datetime=${row.updated_at}>${ago(row.updated_at)}</time></span>
  </a></li>`;
}
