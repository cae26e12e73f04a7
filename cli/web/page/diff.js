// Changes of files: numbered, coloured lines with the changed words lit.

import { html } from "/page/vendor/htm-preact.js";
import { drawRuns, hang, useColours } from "/page/text.js";
import { w } from "/page/words.js";

const MAX_ROWS = 400;
// A file with more rows is shown folded
const FOLDED = 60;
// Part of two lines that must be equal: else the whole line is another one
const MIN_EQUAL = 0.45;

// A name in quotes has its bytes escaped
function readName(text) {
  if (text[0] !== '"') return text.replace(/\t$/, "");
  const bytes = text.slice(1, -1).replace(/\\(?:([0-7]{3})|(.))/g, (_, octal, sign) =>
    (octal ? `%${parseInt(octal, 8).toString(16).padStart(2, "0")}` : { n: "\n", t: "\t" }[sign] || sign));
  try { return decodeURIComponent(bytes); } catch { return bytes; }
}

// The files of a unified diff with their rows
export function parseDiff(text) {
  const files = [];
  let file = null, old = 0, now = 0, left = 0, right = 0;
  const begin = () => files.push(file = { path: "", kind: "modified", rows: [], about: [], added: 0, removed: 0 });
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (left > 0 || right > 0) {
      const sign = line[0] || " ";
      if (sign === "\\") continue;
      const kind = { "+": "add", "-": "del" }[sign] || "";
      if (kind === "add") file.added++;
      if (kind === "del") file.removed++;
      file.rows.push({ kind, number: kind === "del" ? old : now, text: line.slice(1) });
      if (kind !== "add") { old++; left--; }
      if (kind !== "del") { now++; right--; }
    } else if (hunk) {
      if (!file) begin();
      [old, left, now, right] = [hunk[1], hunk[2] ?? 1, hunk[3], hunk[4] ?? 1].map(Number);
      if (file.rows.length || old > 1) file.rows.push({ kind: "gap", text: line.slice(line.indexOf("@@", 2) + 2).trim() });
    } else if (line.startsWith("diff --git ") || (line.startsWith("--- ") && (!file || file.rows.length))) {
      begin();
    }
    if (left > 0 || right > 0 || hunk || !file) continue;
    const name = /^(?:---|\+\+\+) (?:"?[ab]\/)?(.*)$/.exec(line);
    if (/^new file/.test(line) || line === "--- /dev/null") file.kind = "added";
    else if (/^deleted file/.test(line) || line === "+++ /dev/null") file.kind = "deleted";
    else if (name && !file.rows.length) file.path = readName(line[4] === '"' ? `"${name[1]}` : name[1]);
    else if (/^(Binary|rename|GIT binary)/.test(line)) file.about.push(line);
  }
  for (const each of files) {
    const first = each.rows.findIndex((row) => row.text.trim());
    if (first > 0 && each.rows.slice(0, first).every((row) => !/^(add|del)$/.test(row.kind))) each.rows.splice(0, first);
    const last = each.rows.findLastIndex((row) => row.text.trim() || /^(add|del)$/.test(row.kind));
    each.rows.length = last + 1;
    lightWords(each.rows);
  }
  return files;
}

// What was read, numbered, as rows that change nothing
export function readRows(path = "", output) {
  const rows = output.split("\n").filter((line) => line.trim()).map((line) => {
    const [, number, text] = /^ *(\d+)→(.*)/.exec(line) || [];
    return number ? { kind: "", number, text } : { kind: "gap", text: line };
  });
  return rows.some(({ number }) => number) ? [{ path, rows }] : [];
}

// A run of removed lines stands for the added ones below it
function lightWords(rows) {
  for (let at = 0; at < rows.length; at++) {
    if (rows[at].kind !== "del" || rows[at - 1]?.kind === "del") continue;
    let end = at;
    while (rows[end]?.kind === "del") end++;
    for (let next = 0; at + next < end && rows[end + next]?.kind === "add"; next++) compareWords(rows[at + next], rows[end + next]);
  }
}

function compareWords(...pair) {
  const [a, b] = pair.map((row) => row.text.match(/\w+|\s+|./gu) || []);
  if (Math.max(a.length, b.length) > 250) return;
  const least = Math.min(a.length, b.length);
  let first = 0, last = 0;
  while (first < least && a[first] === b[first]) first++;
  while (last < least - first && a.at(-1 - last) === b.at(-1 - last)) last++;
  const count = (words) => words.join("").trim().length;
  const equal = count(a.slice(0, first)) + count(last ? a.slice(-last) : []);
  if (2 * equal < MIN_EQUAL * (count(a) + count(b))) return;
  [a, b].forEach((words, at) => {
    const from = words.slice(0, first).join("").length;
    pair[at].lit = [from, from + words.slice(first, words.length - last).join("").length];
  });
}

function lightRuns(runs, [from, to]) {
  let at = 0;
  return runs.flatMap(([name, text]) => {
    const [begin, end] = [from - at, to - at].map((each) => Math.min(Math.max(each, 0), text.length));
    at += text.length;
    return [[name, text.slice(0, begin)], [`${name} lit`, text.slice(begin, end)], [name, text.slice(end)]].filter((run) => run[1]);
  });
}

function Rows({ file }) {
  const toLines = useColours(file.path.split(".").pop());
  const rows = file.rows.slice(0, MAX_ROWS);
  const lines = new Map();
  for (const other of ["add", "del"]) {
    const side = rows.filter((row) => row.kind !== "gap" && row.kind !== other);
    const coloured = toLines(side.map((row) => row.text).join("\n"));
    side.forEach((row, at) => lines.set(row, coloured[at] || []));
  }
  return html`<pre class="diff" tabindex="0">${rows.map((row) => (row.kind === "gap" ? html`<span class="gap">⋯ ${row.text}\n</span>`
    : html`<span class=${row.kind} data-number=${row.number}><span class=${hang(row.text)}>${drawRuns(row.lit ? lightRuns(lines.get(row), row.lit) : lines.get(row))}\n</span></span>`))}${
    file.rows.length > MAX_ROWS && html`<span class="gap">⋯ +${file.rows.length - MAX_ROWS}</span>`}</pre>`;
}

export const Counts = ({ file }) => html`<span class="delta">${file.added > 0 && html`<ins>+${file.added}</ins>`} ${file.removed > 0 && html`<del>−${file.removed}</del>`}</span>`;

export const isLong = (file) => file.rows.length > FOLDED;

// A diff below a title that names its one file; several files as cards
export function Diff({ files }) {
  return files.length === 1 && files[0].rows.length ? html`<${Rows} file=${files[0]} />` : files.map((file) => html`<${FileCard} key=${file.path} file=${file} />`);
}

// `undo`: where the file alone can be taken back
export function FileCard({ file, undo }) {
  const [, folder, name] = /^(.*\/)?([^/]*)$/s.exec(file.path);
  const card = html`<details class="file" open=${!isLong(file)}><summary><span class=${`kind ${file.kind}`}>${w(`kind.${file.kind}`)}</span>
    <code>${folder}<b>${name}</b></code><${Counts} file=${file} /></summary>
    ${file.rows.length ? html`<${Rows} file=${file} />` : html`<p class="note">${file.about.join("\n")}</p>`}</details>`;
  return undo ? html`<div class="undoable">${card}<button onClick=${undo} aria-label=${w("undo_file", { file: file.path })}>${w("undo.short")}</button></div>` : card;
}
