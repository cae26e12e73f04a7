// The entries of a conversation.

import { Component, html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { get } from "/page/client.js";
import { Counts, Diff, isLong, parseDiff, readRows } from "/page/diff.js";
import { Icon } from "/page/icons.js";
import { fromEntry } from "/page/reducer.js";
import { drawSentence, Markdown, strip } from "/page/text.js";
import { countWords, describeCall, w } from "/page/words.js";

// Reading steps that are named one by one; more are counted
const MAX_NAMED = 3;
const READING = ["read", "search", "list", "fetch", "recall", "learn"];

export class Item extends Component {
  // an item that is the same object looks the same: a long conversation costs nothing per token
  shouldComponentUpdate(next) {
    return ["item", "language", "isFolded"].some((name) => next[name] !== this.props[name]);
  }

  render({ item, thread, language, isFolded }) {
    const view = VIEWS[item.kind];
    return view ? view(item, thread, language, isFolded) : null;
  }
}

const note = (text, extra = "") => html`<p class=${`note ${extra}`}>${drawSentence(text)}</p>`;

const VIEWS = {
  human: ({ text }) => html`<article class="human" aria-label=${w("you")}><pre>${text}</pre></article>`,
  aside: ({ text }) => html`<details class="aside"><summary>${w("aside")}</summary><pre>${text}</pre></details>`,
  answer: ({ text, isOpen }) => html`<article class="answer" aria-label=${w("agent")}><${Markdown} text=${text} isOpen=${isOpen} /></article>`,
  plan: ({ text }) => html`<article class="plan"><h2>${w("plan")}</h2><${Markdown} text=${text} /></article>`,
  thinking: ({ text, isOpen }) => html`<details class="thinking"><summary><${Icon} name="think" />${w(isOpen ? "thinks" : "thought")}</summary><pre>${text}</pre></details>`,
  interrupted: ({ text }) => html`<div>${text && html`<article class="answer"><${Markdown} text=${text} /></article>`}${note(w("interrupted"), "warn")}</div>`,
  call: (item, thread, language, isFolded) => html`<${Call} item=${item} isFolded=${isFolded} />`,
  notice: ({ text }) => note(text),
  mode: ({ text }) => note(w("mode_is", { mode: w(`mode.${text}`) })),
  compacted: ({ text }) => html`<details class="aside"><summary>${w("compacted")}</summary><${Markdown} text=${text} /></details>`,
  shortened: () => note(w("shortened")),
  tests: ({ text, status }) => html`<p class=${`note tests ${status}`}>${w("tests")} <code>${text}</code> ${w(`evidence.${status || "unverified"}`)}</p>`,
  outcome: ({ text, summary }) => html`<div>${summary && html`<article class="answer"><${Markdown} text=${summary} /></article>`}<p class="note">${w("outcome")}: ${w(`outcome.${text}`)}</p></div>`,
  error: ({ text, hint }) => html`<p class="note error" role="alert">${drawSentence(text)}${hint && html`<br /><small>${drawSentence(hint)}</small>`}</p>`,
  subagent: (item, thread, language) => html`<${Child} item=${item} thread=${thread} language=${language} />`,
};

const isReading = ({ kind, tool, ok, args }) => kind === "call" && ok && READING.includes(describeCall(tool, args)[0]);

// Items as they are drawn: reading steps that follow each other are one row. `first` is the number of the first item
export function Items({ items, first = 0, thread, language, isFolded }) {
  const groups = [];
  items.forEach((item, at) => {
    const last = groups.at(-1);
    if (isReading(item) && last?.isReading) last.items.push(item);
    else groups.push({ items: [item], key: first + at, isReading: isReading(item) });
  });
  const draw = (item, key) => html`<${Item} key=${key} item=${item} thread=${thread} language=${language} isFolded=${isFolded} />`;
  return groups.map(({ items: all, key }) => (all.length === 1 ? draw(all[0], key) : html`<${Reading} key=${`group${key}`} calls=${all} draw=${draw} />`));
}

function Reading({ calls, draw }) {
  const verbs = calls.map(({ tool, args }) => describeCall(tool, args));
  const counts = [...new Set(verbs.map(([verb]) => verb))].map((verb) => countWords(`call.${verb}.count`, verbs.filter((each) => each[0] === verb).length));
  const [begin, ...rest] = counts.reduce((left, right) => w("call.pair", { first: left, second: right }));
  const names = [...new Set(verbs.map(([, about]) => about))];
  return html`<details class="call reading"><summary><${Mark} name="good" verb=${verbs[0][0]} /><b>${begin.toUpperCase()}${rest.join("")}</b>
    <span class="about">${names.length <= MAX_NAMED && names.join(" · ")}</span></summary><div class="talk">${calls.map(draw)}</div></details>`;
}

const Mark = ({ name, verb }) => html`<span class=${`mark ${name}`} role="img" aria-label=${w(`mark.${name}`)}><${Icon} name=${verb} /></span>`;

// A sub-agent with what it does: as it came, or as the server has it
function Child({ item, thread, language }) {
  const { id, text, report, status, items, isPartial } = item;
  const [isOpen, setOpen] = useState(false);
  const [read, setRead] = useState(null);
  const isFetched = isOpen && isPartial;
  useEffect(() => {
    let isCurrent = true;
    if (isFetched) {
      get(`/api/threads/${thread}/agents/${id}`).then(({ entries }) => entries.filter((each) => each.kind !== "human").map(fromEntry).filter(Boolean),
        ({ message }) => [{ kind: "error", text: message }]).then((all) => isCurrent && setRead(all));
    }
    return () => { isCurrent = false; };
  }, [isFetched, thread, id, status, items.length || item, language]);
  const shown = isPartial ? read : items;
  const mark = status === "waiting" ? "wait" : status === "running" ? "run" : status === "failed" ? "bad" : "good";
  return html`<details class="call child" onToggle=${(event) => event.target === event.currentTarget && setOpen(event.target.open)}>
    <summary><${Mark} name=${mark} verb="agent" /><b>${id}</b> <span class="about">${text}</span><${Outcome} mark=${mark} /></summary>
    ${isOpen && html`<div class="talk">${shown ? html`<${Items} items=${shown} thread=${thread} language=${language} />` : "…"}</div>`}
    ${report && !shown?.some((each) => each.kind === "answer") && html`<${Markdown} text=${report} />`}
  </details>`;
}

// How a call has ended, where its verb does not say it
export const Outcome = ({ mark, verb }) => (/^(bad|mended|wait)$/.test(mark) ? html` <span class=${`end-${mark}`}>${w(`mark.${mark}`)}</span>`
  : mark === "good" && verb === "run" && html` <span class="end-good" role="img" aria-label=${w("mark.good")}>✓</span>`);

// How long something has been going on
export function Elapsed({ since }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000)) || 0;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].slice(seconds < 3600 ? 1 : 0);
  return html`<time class="elapsed">${parts.map((part, at) => (at ? String(part).padStart(2, "0") : part)).join(":")}</time>`;
}

function Call({ item, isFolded }) {
  const end = useRef(null);
  useEffect(() => { if (item.isLive && end.current) end.current.scrollTop = end.current.scrollHeight; });
  const { tool, args, ok, output, stand } = item;
  const [verb, about] = describeCall(tool, args);
  const files = item.diff ? parseDiff(item.diff) : [];
  const drawn = verb === "read" && ok ? readRows(args.file_path, output) : files;
  const mark = (ok ?? null) === null ? (stand === "wait" ? "wait" : "run") : ok ? "good" : item.isMended ? "mended" : "bad";
  const isAtWork = mark === "run" && stand !== "still";
  return html`<details class=${`call ${mark}`} open=${item.isLive || item.isShown || (!isFolded && files.length === 1 && !isLong(files[0]))}>
    <summary><${Mark} name=${mark} verb=${verb} />${item.agent && html`<span class="agent">${item.agent}</span>`}<b>${w(isAtWork ? `now.${verb}` : ok || item.hasRun ? `call.${verb}.done` : `call.${verb}`)}</b> <span class=${`about ${verb === "ask" ? "said" : ""}`}>${verb === "ask" ? strip(about) : about}</span>
      ${files.length === 1 && html` <${Counts} file=${files[0]} />`}${item.isEdited && html` <span class="agent">${w("edited")}</span>`}<${Outcome} mark=${mark} verb=${verb} />${isAtWork && html`<${Elapsed} since=${item.at} />`}</summary>
    ${verb === "run" && args.command && html`<pre class="command" tabindex="0">${args.command}</pre>`}
    ${drawn.length ? html`<${Diff} files=${drawn} />` : output ? html`<pre class=${`output ${item.isLive ? "tail" : ""}`} tabindex="0" ref=${end}>${output}</pre>`
      : verb !== "run" && html`<pre class="output" tabindex="0">${JSON.stringify(args, null, 2)}</pre>`}
  </details>`;
}
