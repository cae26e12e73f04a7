// The entries of a conversation.

import { Component, html } from "/page/vendor/htm-preact.js";
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

  render({ item }) {
    const view = VIEWS[item.kind];
    return view ? view(item) : null;
  }
}

const note = (text, extra = "") => html`<p class=${`note ${extra}`}>${text}</p>`;

const VIEWS = {
  human: ({ text }) => html`<article class="human" aria-label=${w("you")}><pre>${text}</pre></article>`,
  aside: ({ text }) => html`<details class="aside"><summary>${w("aside")}</summary><pre>${text}</pre></details>`,
  answer: ({ text, isOpen }) => html`<article class="answer" aria-label=${w("agent")}><${Markdown} text=${text} isOpen=${isOpen} /></article>`,
  plan: ({ text }) => html`<article class="plan"><h4>${w("plan")}</h4><${Markdown} text=${text} /></article>`,
  thinking: ({ text, isOpen }) => html`<details class="thinking"><summary>${w(isOpen ? "thinks" : "thought")}</summary><pre>${text}</pre></details>`,
  interrupted: ({ text }) => html`<div>${text && html`<article class="answer"><${Markdown} text=${text} /></article>`}${note(w("interrupted"), "warn")}</div>`,
  call: (item) => html`<${Call} item=${item} />`,
  notice: ({ text }) => note(text),
  mode: ({ text }) => note(w("mode_is", { mode: text })),
  compacted: ({ text }) => html`<details class="aside"><summary>${w("compacted")}</summary><${Markdown} text=${text} /></details>`,
  shortened: () => note(w("shortened")),
  tests: ({ text, status }) => html`<p class=${`note tests ${status}`}>${w("tests")} <code>${text}</code> ${w(`evidence.${status || "unverified"}`)}</p>`,
  outcome: ({ text, summary }) => html`<div>${summary && html`<article class="answer"><${Markdown} text=${summary} /></article>`}<p class="note">${w("outcome")}: ${w(`outcome.${text}`)}</p></div>`,
  error: ({ text, hint }) => html`<p class="note error" role="alert">${text}${hint && html`<br /><small>${hint}</small>`}</p>`,
  subagent: ({ id, text, report, status }) => html`<details class="call"><summary><span class=${`mark ${status === "running" ? "run" : status === "failed" ? "bad" : "good"}`} aria-hidden="true"></span><b>${id}</b> <span class="about">${text}</span></summary>${report && html`<${Markdown} text=${report} />`}</details>`,
};

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
