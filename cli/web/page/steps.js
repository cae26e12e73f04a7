// The tree of steps: below each those that a rewind has left after it, and forks from it.

import { html, useEffect, useState } from "/page/vendor/htm-preact.js";
import { useData } from "/page/files.js";
import { Counts, parseDiff } from "/page/diff.js";
import { Icon } from "/page/icons.js";
import { Empty, Failed, Problem, Status } from "/page/inbox.js";
import { Outcome } from "/page/items.js";
import { strip } from "/page/text.js";
import { countWords, describeCall, w } from "/page/words.js";

// What a step called: `Ran make test`; without what it was about where the conversation has it no more
function listCalls({ tools, calls }, items) {
  const all = tools.map((tool, at) => {
    const item = items.find((each) => each.id === calls[at]);
    const [verb, about] = describeCall(tool, item?.args || {});
    const mark = item && ((item.ok ?? null) === null ? item.stand || "run" : item.ok ? "good" : item.isMended ? "mended" : "bad");
    const word = mark === "run" ? `now.${verb}` : `call.${verb}${!mark || mark === "good" || item.hasRun ? ".done" : ""}`;
    return { verb, about, mark, word, files: item?.diff ? parseDiff(item.diff) : [] };
  });
  return [...new Map(all.map((each) => [`${each.verb} ${each.about} ${each.mark}`, each])).values()];
}

// What was said begins without the marks of a heading or list
const plain = (words) => strip(words.replace(/^[\s#>*-]+ /, "")).replaceAll("**", "");

const drawCall = ({ verb, about, mark, word, files }) => html`<span class=${`did ${mark}`}><${Icon} name=${verb} /><span>${w(word)}</span>
  ${about && html`<code class=${verb === "ask" ? "said" : ""}>${about}</code>`}${files.length === 1 && html`<${Counts} file=${files[0]} />`}<${Outcome} mark=${mark} verb=${verb} /></span>`;

export function Steps({ id, version, items, isRunning, act }) {
  const data = useData(`/api/threads/${id}/steps`, [version]);
  const [asked, setAsked] = useState(null);
  const [news, setNews] = useState("");
  useEffect(() => document.querySelector(".steps .here")?.scrollIntoView({ block: "center" }), [!data]);
  if (!data) return html`<${Empty} title="…" />`;
  if (data.error) return html`<${Problem} error=${data.error} />`;
  const { steps, abandoned, forks, origin } = data;
  const known = new Set([steps, ...abandoned.map((each) => each.steps)].flat().map((step) => step.checkpoint_id));
  const last = steps.length - 1;
  const go = (action, step) => act(action, { step: step.number, checkpoint: step.checkpoint_id });
  const fork = async (step) => {
    const result = await go("fork", step);
    if (result) location.hash = `#/t/${result.thread_id}`;
  };
  const rewind = async (step) => {
    setAsked(null);
    const result = await go("rewind", step);
    setNews(result?.conflicts.map((each) => `${each.path}: ${each.reason}`).join("; "));
  };
  const draw = (step, isHere, isMain) => {
    const called = listCalls(step, items);
    const others = step.files.filter((path) => !called.some(({ about }) => about.includes(path)));
    return html`<li key=${step.checkpoint_id || step.number} class=${isHere ? "here" : ""} tabindex="-1" aria-current=${isHere ? "step" : null}>
    <span class="number">${step.number}</span><div class="what">${step.words && html`<p class=${step.number ? "" : "asked"}>${plain(step.words)}</p>`}
      ${called.map(drawCall)}${(others.length > 0 || isHere || step.role !== "build") && html`<small>${isHere && html`<b>${w("here")}</b>`}${step.role !== "build" && step.role}${others.map((path) => html`<code>${path}</code>`)}</small>`}</div>
    <button class="more" aria-label=${w("step.actions")} onClick=${({ currentTarget }) => currentTarget.parentNode.focus()} disabled=${isRunning || !step.checkpoint_id}>⋯</button><span class="choices">${asked === step.checkpoint_id ? html`<button class="danger" onClick=${() => rewind(step)}>${w("rewind_sure")}</button>
        <button onClick=${() => setAsked(null)}>${w("cancel")}</button>`
      : html`<button disabled=${isRunning || !step.checkpoint_id} onClick=${() => setAsked(step.checkpoint_id)}>${w("rewind")}</button>
        <button disabled=${isRunning || !step.checkpoint_id} onClick=${() => fork(step)}>${w("fork")}</button>`}</span>${drawBelow(step, isHere, isMain)}</li>`;
  };
  const link = (row, key) => html`<p class="branch" key=${row.thread_id}><a href=${`#/t/${row.thread_id}`}>${w(key, { title: row.name || row.title })}</a> <${Status} name=${row.status} /></p>`;
  // what begins after no step that is drawn stands at the end
  const drawBelow = (step, isHere, isMain) => [
    ...abandoned.filter((each) => (known.has(each.origin) ? each.origin === step.checkpoint_id : isHere)).map(({ steps: left }) => html`<details class="branch" key=${left[0].checkpoint_id}>
      <summary>${w(left[1] ? "left" : "left_one", { first: left[0].number, last: left.at(-1).number })}</summary><ol>${left.map((each) => draw(each))}</ol></details>`),
    ...(isMain ? forks.filter((row) => Math.min(row.parent_step, last) === step.number).map((row) => link(row, "forked")) : [])];
  return html`<div class="steps">${news && html`<p class="note" role="status">${news}</p>`}
    <p class="facts"><b>${countWords("steps", last)}</b><${Failed} count=${items.filter(({ ok, isMended }) => ok === false && !isMended).length} /></p>
    ${origin.map((row) => link(row, "origin"))}
    <ol>${steps.map((step, at) => draw(step, at === last, true))}</ol></div>`;
}
