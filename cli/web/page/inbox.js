// One list of all threads: those that wait for you, those that run, the others.

import { html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { get, LANGUAGES } from "/page/client.js";
import { Counts } from "/page/diff.js";
import { Icon } from "/page/icons.js";
import { Elapsed } from "/page/items.js";
import { drawSentence, strip } from "/page/text.js";
import { ago, countWords, w } from "/page/words.js";

// A turn that has ended with a question waits, too
export const isWaiting = (row) => ["waiting", "limit"].includes(row.status) || Boolean(row.asks);

const GROUPS = [
  ["waiting", isWaiting],
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

export const Empty = ({ title, text }) => html`<div class="empty"><p>${drawSentence(title)}</p><small>${text}</small></div>`;

export const Problem = ({ error, children }) => error && html`<p class="problem" role="alert"><span>${drawSentence(error.message)} <small>${drawSentence(error.hint)}</small></span>${children}</p>`;

export const Status = ({ name, facts }) => html`<span class=${`status ${name}`}>${facts || w(`status.${name}`)}</span>`;

export const shortFolder = (folder) => folder.split("/").filter(Boolean).pop() || "/";

export function Inbox({ threads, current, isConnected, cards, language, choose }) {
  const [words, setWords] = useState("");
  const found = useSearch(words);
  const rows = threads.filter((row) => !found || found.has(row.thread_id))
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const groups = GROUPS.map(([name]) => [name, []]);
  for (const row of rows) groups[GROUPS.findIndex(([, fits]) => fits(row))][1].push(row);
  const connection = w(isConnected ? "connected" : "disconnected");
  return html`<${current === null ? "main" : "nav"} class="inbox" aria-label=${w("threads")}>
    <div class="bar">
      <${current === null ? "h1" : "strong"}>MaxAgent</>
      <span class=${`dot ${isConnected ? "on" : "off"}`} role="img" aria-label=${connection} title=${connection}></span>
      <a class="button primary" href="#/new">${w("new")}</a>
    </div>
    <input id="search" type="search" placeholder=${w("search")} aria-label=${w("search")} value=${words}
      onInput=${(event) => setWords(event.target.value)} />
    <div class="list">
      ${!rows.length && html`<${Empty} title=${w(words ? "nothing_found" : "no_threads")} text=${w(words ? "nothing_found.next" : "no_threads.next")} />`}
      ${groups.filter(([, members]) => members.length).map(([name, members]) => html`
        <section key=${name} class=${name} aria-label=${w(`group.${name}`)}>
          <h2>${w(`group.${name}`)} <span class="count">${members.length}</span><${Failed} count=${members.filter((row) => row.status === "failed" || row.is_failed).length} /></h2>
          <ul>${members.slice(0, 200).map((row) => html`<${Row} key=${row.thread_id} row=${row} isCurrent=${row.thread_id === current} />`)}</ul>
        </section>`)}
    </div>
    <div class="foot">
      <a class="button" href="#/memory">${w("memory")} <span class="count">${cards}</span></a>
      <select class="language" aria-label=${w("language")} value=${language} onChange=${(event) => choose(event.target.value)}>
        ${Object.entries(LANGUAGES).map(([name, own]) => html`<option value=${name} lang=${name}>${own}</option>`)}</select>
    </div>
  </>`;
}

// What a thread waits for: `Run git commit`
function Asks({ asks: { kind, verb, subject, text, ...counts }, more }) {
  const asked = kind !== "approval" ? w(`ask.${kind}`)
    : text ? w("asks", { question: strip(text) }) : html`${w(`call.${verb}`)} <code>${subject}</code>${counts.added + counts.removed > 0 && html` <${Counts} file=${counts} />`}`;
  return html`<span class="asks"><span>${asked}</span>${more > 0 && html` <span class="count">+${more}</span>`}</span>`;
}

// What a thread does now: `Running make test`
const Doing = ({ doing: { verb, subject } }) => html`<span class="doing"><${Icon} name=${verb} /><span>${w(`now.${verb}`)} <code>${subject}</code></span></span>`;

export const Failed = ({ count }) => count > 0 && html`<span class="failed">${countWords("failures", count)}</span>`;

function Row({ row, isCurrent }) {
  const link = useRef(null);
  useEffect(() => { if (isCurrent) link.current.scrollIntoView({ block: "nearest" }); }, [isCurrent]);
  const isAsked = Boolean(row.asks);
  const isFailed = row.status === "failed" || row.is_failed;
  const hasFacts = row.status === "idle" && !isFailed && (row.tests === "passed" || row.added || row.removed);
  const isDoing = row.status === "running" && row.doing;
  return html`<li><a class="row" ref=${link} href=${`#/t/${row.thread_id}`} aria-current=${isCurrent ? "page" : null}>
    <span class="title">${row.name || row.title || row.thread_id.slice(0, 8)}</span>
    ${isAsked && html`<${Asks} asks=${row.asks} more=${row.questions - 1} />`}
    ${isDoing && html`<${Doing} doing=${row.doing} />`}
    <span class="facts">${!isAsked && !isDoing && html`<${Status} name=${isFailed ? "failed" : row.status} facts=${hasFacts && html`${row.tests === "passed" && html`<span class="passed">✓ ${w("tests")}</span>`} <${Counts} file=${row} />`} />`}${!isFailed && html`<${Failed} count=${row.failed} />`}
      <span class="folder">${row.holder} ${shortFolder(row.folder)}</span>${row.since ? html`<${Elapsed} since=${row.since} />` : html`<time datetime=${row.updated_at}>${ago(row.updated_at)}</time>`}</span>
  </a></li>`;
}
