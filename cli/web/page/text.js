// Texts of models and tools as nodes of the page. No text is ever parsed as HTML: nothing in one can
// run, load or lead the page elsewhere.

import { marked } from "/page/vendor/marked.js";
import { html, useEffect, useState } from "/page/vendor/htm-preact.js";

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

const decode = (text) => text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,4}));/gi, (all, number, hex, name) => {
  const code = number ? Number(number) : parseInt(hex, 16);
  return name ? ENTITIES[name] ?? all : code > 31 && code < 0x110000 ? String.fromCodePoint(code) : all;
});

const LANGUAGES_BY_NAME = new Map(`bash sh shell;c;cpp cc h hpp;css;diff;go;java;javascript js jsx mjs;json;markdown md;python py;
  rust rs;sql;typescript ts tsx;xml html svg;yaml yml`.split(";").flatMap((names) => {
  const all = names.trim().split(" ");
  return all.map((name) => [name, all[0]]);
}));
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

// A function from a text to its lines, each of [class, text]; without colours until they are loaded
export function useColours(name = "") {
  const language = LANGUAGES_BY_NAME.get(name.toLowerCase());
  const [core, setCore] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    if (language) loadLanguage(language).then((each) => isCurrent && setCore({ each, language }), () => {});
    return () => { isCurrent = false; };
  }, [language]);
  return (text) => (core && core.language === language && text.length < 20000 ? colour(core.each, language, text)
    : text.split("\n").map((line) => [["", line]]));
}

function colour(core, language, text) {
  const lines = [[]];
  const open = [];
  for (const part of core.highlight(text, { language, ignoreIllegals: true }).value.split(/(<[^>]*>)/)) {
    if (part === "</span>") open.pop();
    else if (part[0] === "<") open.push(part.slice(13, -2));
    else part.split("\n").forEach((piece, at) => {
      if (at) lines.push([]);
      if (piece) lines.at(-1).push([open.at(-1) || "", decode(piece)]);
    });
  }
  return lines;
}

export const drawRuns = (runs) => runs.map(([name, text]) => (name ? html`<span class=${name}>${text}</span>` : text));

// The class of a line: where it is wrapped, it goes on a little deeper than it begins
export function hang(line) {
  const [blank] = /^\s*/.exec(line);
  const tabs = blank.split("\t").length - 1;
  return `line d${Math.min(12, tabs ? 2 * tabs + 1 : blank.length >> 1)}`;
}

function Code({ text, language, isOpen }) {
  const lines = useColours(isOpen ? "" : language)(text);
  return html`<pre tabindex="0"><code>${lines.map((runs) => html`<span class=${hang(runs.map((run) => run[1]).join(""))}>${drawRuns(runs)}\n</span>`)}</code></pre>`;
}

// What stands for each token of Markdown; the text of any other is shown as it is
const TOKENS = {
  space: () => null,
  def: () => null,
  br: () => html`<br />`,
  hr: () => html`<hr />`,
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  codespan: ({ text }) => html`<code>${text}</code>`,
  code: ({ text, lang }, isOpen) => html`<${Code} text=${text} language=${(lang || "").split(/\s/)[0]} isOpen=${isOpen} />`,
  heading: ({ depth, tokens }, isOpen) => html`<${`h${Math.min(depth + 1, 6)}`}>${drawTokens(tokens, isOpen)}</>`,
  text: ({ text, tokens }, isOpen) => (tokens ? drawTokens(tokens, isOpen) : decode(text)),
  // nothing is loaded from elsewhere
  image: ({ href, text }) => `[${text || href}]`,
  link: ({ href, tokens }, isOpen) => {
    const target = decode(href);
    return /^(?:https?:|mailto:)/i.test(target)
      ? html`<a href=${target} target="_blank" rel="noopener noreferrer nofollow">${drawTokens(tokens, isOpen)}</a>` : drawTokens(tokens, isOpen);
  },
  list: ({ ordered, start, items }, isOpen) => html`<${ordered ? "ol" : "ul"} start=${ordered && start !== 1 ? start : null}>${items.map((item) =>
    html`<li>${drawTokens(item.tokens, isOpen)}</li>`)}</>`,
  table: ({ header, rows }, isOpen) => {
    const draw = (tag) => (cell) => html`<${tag} class=${cell.align || ""}>${drawTokens(cell.tokens, isOpen)}</>`;
    return html`<div class="wide" tabindex="0"><table><thead><tr>${header.map(draw("th"))}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map(draw("td"))}</tr>`)}</tbody></table></div>`;
  },
};
for (const [type, tag] of Object.entries({ paragraph: "p", strong: "strong", em: "em", del: "del", blockquote: "blockquote" })) {
  TOKENS[type] = ({ tokens }, isOpen) => html`<${tag}>${drawTokens(tokens, isOpen)}</>`;
}

const drawTokens = (tokens, isOpen) => tokens.map((token) => (TOKENS[token.type] ? TOKENS[token.type](token, isOpen) : token.text));

export function Markdown({ text, isOpen }) {
  return html`<div class="markdown">${drawTokens(marked.lexer(text), isOpen)}</div>`;
}

// One line of Markdown
export const Inline = ({ text }) => html`<span class="markdown">${drawTokens(marked.Lexer.lexInline(text))}</span>`;

// A text of Markdown without its marks, on one line
const flatten = (tokens) => tokens.map((token) => (token.tokens ? flatten(token.tokens) : decode(token.text ?? " "))).join("");
export const strip = (text) => flatten(marked.Lexer.lexInline(text)).replace(/\s+/g, " ");

// The question that a text ends with, as the server has it
export const findQuestion = (text) => (/[?？][^\p{L}\p{N}]*$/u.test(text) ? text.trim().split(/(?<=[.!?。！？])\s+|(?<=[。！？])(?=[\p{L}\p{N}])|\n+/u).at(-1) : "");

export const isYesNo = (question) => (/[吗么][^\p{L}]*$|是否|要不要/u.test(question)
  || /^\W*((and|so|or)\W+)?(shall|should|do|does|did|is|are|was|were|can|could|may|will|would|have|has|ok)\b/i.test(question)) && !/\bor\b(?! not)|还是/i.test(question.replace(/^\W*or/i, ""));

// A sentence of MaxAgent, with its code as code; it is no Markdown: a name may have marks
export const drawSentence = (text = "") => text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));

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
