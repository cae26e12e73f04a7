// The entries of a conversation.

import { Component, html, useEffect, useState } from "/page/vendor/htm-preact.js";
import { get } from "/page/client.js";
import { fromEntry } from "/page/reducer.js";
import { Diff, Markdown } from "/page/text.js";
import { w } from "/page/words.js";

const MAIN = ["command", "file_path", "path", "regex", "pattern", "question", "url", "action", "id", "result"];

export function callTitle(tool, args) {
  const name = MAIN.find((key) => typeof args[key] === "string" && args[key]);
  const about = name ? args[name] : Object.values(args).find((value) => typeof value === "string") || "";
  const line = about.replace(/\s+/g, " ");
  return [tool, line.length > 140 ? `${line.slice(0, 139)}…` : line];
}

export class Item extends Component {
  // an item that is the same object looks the same: a long conversation costs nothing per token
  shouldComponentUpdate(next) {
    return next.item !== this.props.item || next.language !== this.props.language;
  }

  render({ item, thread, language }) {
    const view = VIEWS[item.kind];
    return view ? view(item, thread, language) : null;
  }
}

const note = (text, extra = "") => html`<p class=${`note ${extra}`}>${text}</p>`;

const VIEWS = {
  human: ({ text }) => html`<article class="human" aria-label=${w("you")}><pre>${text}</pre></article>`,
  aside: ({ text }) => html`<details class="aside"><summary>${w("aside")}</summary><pre>${text}</pre></details>`,
  answer: ({ text, isOpen }) => html`<article class="answer" aria-label=${w("agent")}><${Markdown} text=${text} isOpen=${isOpen} /></article>`,
  plan: ({ text }) => html`<article class="plan"><h2>${w("plan")}</h2><${Markdown} text=${text} /></article>`,
  thinking: ({ text, isOpen }) => html`<details class="thinking"><summary>${w(isOpen ? "thinks" : "thought")}</summary><pre>${text}</pre></details>`,
  interrupted: ({ text }) => html`<div>${text && html`<article class="answer"><${Markdown} text=${text} /></article>`}${note(w("interrupted"), "warn")}</div>`,
  call: (item) => html`<${Call} item=${item} />`,
  notice: ({ text }) => note(text),
  mode: ({ text }) => note(w("mode_is", { mode: w(`mode.${text}`) })),
  compacted: ({ text }) => html`<details class="aside"><summary>${w("compacted")}</summary><${Markdown} text=${text} /></details>`,
  shortened: () => note(w("shortened")),
  tests: ({ text, status }) => html`<p class=${`note tests ${status}`}>${w("tests")} <code>${text}</code> ${w(`evidence.${status || "unverified"}`)}</p>`,
  outcome: ({ text, summary }) => html`<div>${summary && html`<article class="answer"><${Markdown} text=${summary} /></article>`}<p class="note">${w("outcome")}: ${w(`outcome.${text}`)}</p></div>`,
  error: ({ text, hint }) => html`<p class="note error" role="alert">${text}${hint && html`<br /><small>${hint}</small>`}</p>`,
  subagent: (item, thread, language) => html`<${Child} item=${item} thread=${thread} language=${language} />`,
};

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
  const mark = ["running", "waiting"].includes(status) ? "run" : status === "failed" ? "bad" : "good";
  return html`<details class="call child" onToggle=${(event) => event.target === event.currentTarget && setOpen(event.target.open)}>
    <summary><span class=${`mark ${mark}`} role="img" aria-label=${w(`call.${mark}`)}></span><b>${id}</b> <span class="about">${text}</span></summary>
    ${isOpen && html`<div class="talk">${shown ? shown.map((each, at) => html`<${Item} key=${at} item=${each} thread=${thread} language=${language} />`) : "…"}</div>`}
    ${report && !shown?.some((each) => each.kind === "answer") && html`<${Markdown} text=${report} />`}
  </details>`;
}

function Call({ item }) {
  const [tool, about] = callTitle(item.tool, item.args);
  const mark = item.ok === null || item.ok === undefined ? "run" : item.ok ? "good" : "bad";
  return html`<details class="call" open=${Boolean(item.diff) || item.isLive}>
    <summary><span class=${`mark ${mark}`} role="img" aria-label=${w(`call.${mark}`)}></span>
      ${item.agent && html`<span class="agent">${item.agent}</span>`}<b>${tool}</b> <span class="about">${about}</span>${item.isEdited && html` <span class="agent">${w("edited")}</span>`}</summary>
    ${item.diff ? html`<${Diff} text=${item.diff} />` : item.output
      ? html`<pre class="output" tabindex="0">${item.output}</pre>` : html`<pre class="output" tabindex="0">${JSON.stringify(item.args, null, 2)}</pre>`}
  </details>`;
}
