// Texts of models and tools as HTML: nothing in them can run, load or lead the page elsewhere.

import { marked } from "/page/vendor/marked.js";
import { html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";

const ALLOWED = {
  ALLOWED_TAGS: ["p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "del", "code",
    "pre", "blockquote", "ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"],
  ALLOWED_ATTR: ["href", "class", "start", "align"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};
const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

marked.use({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }) => escape(text), // shown, not used
    image: ({ href, text }) => escape(`[${text || href}]`), // nothing is loaded from elsewhere
  },
});

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  const name = node.getAttribute("class");
  const form = { CODE: /^language-[\w+-]+$/, SPAN: /^hljs-[\w -]+$/ }[node.tagName];
  if (name !== null && !form?.test(name)) node.removeAttribute("class");
});

export function renderMarkdown(text) {
  return DOMPurify.sanitize(marked.parse(text), ALLOWED);
}

const NAMES = {
  bash: "bash", sh: "bash", shell: "bash", c: "c", cpp: "cpp", css: "css", diff: "diff", go: "go",
  java: "java", javascript: "javascript", js: "javascript", json: "json", markdown: "markdown",
  md: "markdown", python: "python", py: "python", rust: "rust", sql: "sql", ts: "typescript",
  typescript: "typescript", html: "xml", xml: "xml", yaml: "yaml", yml: "yaml",
};
const loaded = new Map();

async function loadLanguage(name) {
  const { default: core } = await import("/page/vendor/highlight.js");
  if (!loaded.has(name)) {
    loaded.set(name, import(`/page/vendor/languages/${name}.js`).then((module) =>
      core.registerLanguage(name, module.default)));
  }
  await loaded.get(name);
  return core;
}

async function highlight(code) {
  const name = NAMES[(/language-([\w+-]+)/.exec(code.className) || [])[1]];
  if (!name || code.textContent.length > 20000 || code.dataset.done) return;
  code.dataset.done = "yes";
  const core = await loadLanguage(name);
  const result = core.highlight(code.textContent, { language: name }).value;
  code.innerHTML = DOMPurify.sanitize(result, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"] });
}

export function Markdown({ text, isOpen }) {
  const place = useRef(null);
  useEffect(() => {
    if (!isOpen) place.current?.querySelectorAll("pre code").forEach(highlight);
  }, [text, isOpen]);
  return html`<div class="markdown" ref=${place}
    dangerouslySetInnerHTML=${{ __html: renderMarkdown(text) }} />`;
}

// What is typed and not sent: it outlives the field, such as while another thread is looked at
export const drafts = new Map();

export function useDraft(key, start = "") {
  const [text, setText] = useState(drafts.get(key) ?? start);
  return [text, (next) => {
    if (next === start) drafts.delete(key);
    else drafts.set(key, next);
    setText(next);
  }];
}

const MAX_ROWS = 400;

export function Diff({ text }) {
  const rows = text.replace(/\n$/, "").split("\n");
  const shown = rows.slice(0, MAX_ROWS);
  return html`<pre class="diff" tabindex="0">${shown.map((row) =>
    html`<span class=${rowClass(row)}>${row || " "}\n</span>`)}${
    rows.length > MAX_ROWS && html`<span class="meta">… +${rows.length - MAX_ROWS}</span>`}</pre>`;
}

function rowClass(row) {
  if (/^(---|\+\+\+|diff |index |new file|deleted file)/.test(row)) return "meta";
  if (row.startsWith("@@")) return "hunk";
  return row.startsWith("+") ? "add" : row.startsWith("-") ? "del" : "";
}
