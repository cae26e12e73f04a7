// What a thread has changed: its files with their diffs, undo and redo.

import { html, useEffect, useState } from "/page/vendor/htm-preact.js";
import { get } from "/page/client.js";
import { Counts, FileCard, parseDiff } from "/page/diff.js";
import { Empty, Problem } from "/page/inbox.js";
import { countWords, showSpan, w } from "/page/words.js";

export function useData(path, dependencies) {
  const [data, setData] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    get(path).then((answer) => isCurrent && setData(answer), (error) => isCurrent && setData({ error }));
    return () => { isCurrent = false; };
  }, [path, ...dependencies]);
  return data;
}

// The files of a thread, and what restores them; `news` is what was restored last
function useFiles(id, version, act) {
  const [news, setNews] = useState(null);
  const data = useData(`/api/threads/${id}/files`, [version]);
  const restore = async (kind, path) => {
    const result = await act(kind, path && { path });
    if (result) setNews({ kind, ...result });
  };
  return [data, news, restore];
}

// What the thread itself has changed
const isOwn = ({ by }) => /^(tool|shell|merge)$/.test(by);

// The files of the thread, or of one turn
function countFiles(data, turn) {
  const named = new Map(data.files.filter((each) => each.in_effect && isOwn(each) && (!turn || each.turn === turn)).map((each) => [each.path, each]));
  const files = parseDiff(data.diff).filter((file) => file.path && (!turn || named.has(file.path)));
  const drawn = new Set(files.map((file) => file.path));
  for (const { path, kind } of named.values()) if (!drawn.has(path)) files.push({ path, kind, rows: [], about: [], added: 0, removed: 0 });
  const total = { added: 0, removed: 0 };
  for (const file of files) { total.added += file.added; total.removed += file.removed; }
  return { files, total };
}

function describeRestore({ kind, files, conflicts }) {
  const done = files.length ? w(`${kind}_done`, { files: files.join(", ") }) : w("nothing_changed");
  return [done, conflicts.map((each) => `${each.path}: ${each.reason}`).join("; ")].filter(Boolean).join(" · ");
}

// What the last turn has changed, once it has ended
export function Result({ id, state, act, review, verdict, failure }) {
  const [data, news, restore] = useFiles(id, state.changes, act);
  if (!data || data.error) return null;
  const own = data.files.filter(isOwn);
  const turn = own.at(-1)?.turn;
  const isDone = own.some((each) => each.turn === turn && each.in_effect);
  // of what was undone it says nothing
  const tested = isDone || !own.length ? verdict : "";
  if (!isDone && !news && !tested && !failure) return null;
  const { files, total } = countFiles(data, turn);
  const isChat = state.thread.graph === "chat";
  const isBad = failure || tested === "failed";
  return html`<div class=${`result ${isBad ? "bad" : ""}`} role="group" aria-label=${w("result")}><p>
      ${failure && tested !== "failed" ? html`<strong class="failed title">✗ ${w("failed")} ${failure}</strong>` : /^(passed|failed)$/.test(tested) && html`<strong class=${tested}>${tested === "passed" ? "✓" : "✗"} ${w(`tests.${tested}`)}</strong>`}
      ${isDone ? html`<span><strong>${countWords("files", files.length)}</strong> <${Counts} file=${total} /></span>` : news && html`<span role="status">${describeRestore(news)}</span>`}
      <small>${showSpan(state.since, state.until)}</small></p>
    ${isDone && review && html`<button class="review quiet" onClick=${review}>${w("result.review")}</button>`}
    ${(isDone || news) && html`<button class=${isDone ? "quiet" : ""} onClick=${() => restore(isDone ? "undo" : "redo")}>${w(isDone ? "undo.short" : "redo")}</button>`}
    ${isChat && isDone && html`<button class=${isBad ? "quiet" : "primary"} onClick=${() => act("messages", { text: w("commit.message") })}>${w("commit")}</button>`}
    ${isChat && isBad && state.thread.status === "idle" && html`<button class="primary" onClick=${() => act("messages", { text: w("go_on") })}>${w("resume")}</button>`}</div>`;
}

export function Files({ id, version, isRunning, act }) {
  const [data, news, restore] = useFiles(id, version, act);
  if (!data) return html`<${Empty} title="…" />`;
  if (data.error) return html`<${Problem} error=${data.error} />`;
  const { files, total } = countFiles(data);
  const own = new Set(data.can_undo);
  return html`<div class="files">
    ${!files.length && html`<${Empty} title=${w("no_files")} text=${w("no_files.next")} />`}
    ${files.map((file) => html`<${FileCard} key=${file.path} file=${file} undo=${!isRunning && own.has(file.path) && (() => restore("undo", file.path))} />`)}
    ${news && html`<p class="note" role="status">${describeRestore(news)}</p>`}
    ${(files.length > 0 || data.can_redo) && html`<div class="result choices closing">
      ${files.length > 0 && html`<span><strong>${countWords("files", files.length)}</strong> <${Counts} file=${total} /></span>`}<span class="space"></span>
      <button disabled=${isRunning || !own.size} onClick=${() => restore("undo")}>${w("undo")}</button>
      ${data.can_redo && html`<button disabled=${isRunning} onClick=${() => restore("redo")}>${w("redo")}</button>`}</div>`}</div>`;
}
