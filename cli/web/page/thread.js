// One thread: its conversation, files and steps, and where the user writes.

import { html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { Choices, useDefaults } from "/page/choices.js";
import { follow, get, post } from "/page/client.js";
import { Counts, FileCard, parseDiff } from "/page/diff.js";
import { Empty, Problem, shortFolder, Status } from "/page/inbox.js";
import { Items } from "/page/items.js";
import { Questions, useQuestions } from "/page/questions.js";
import { EMPTY, reduce } from "/page/reducer.js";
import { Inline, useDraft } from "/page/text.js";
import { countWords, describeCall, w } from "/page/words.js";

// Entries that are drawn at once; the earlier ones come with a button
const SHOWN = 120;

function useThread(id, language) {
  const [, draw] = useState(0);
  const place = useRef(null);
  if (place.current?.id !== id) place.current = { id, state: EMPTY, isConnected: false, error: null, language };
  useEffect(() => {
    const own = place.current;
    let frame = 0;
    const redraw = () => {
      frame ||= requestAnimationFrame(() => { frame = 0; draw((count) => count + 1); });
      if (document.hidden) draw((count) => count + 1); // no frames there
    };
    const stop = follow(`/api/threads/${id}/events`, {
      // in another language all is sent again
      getPosition: () => (own.language === language ? own.state.seq : 0),
      onMessage: (_, message) => { own.language = language; own.state = reduce(own.state, message); redraw(); },
      onState: (isConnected, error) => { own.isConnected = isConnected; own.error = error || null; redraw(); },
    });
    return () => { stop(); cancelAnimationFrame(frame); };
  }, [id, language]);
  return place.current;
}

const TABS = ["talk", "files", "steps"];

export function Thread({ id, server }) {
  const { state, isConnected, error } = useThread(id, server.language);
  const [tab, setTab] = useState("talk");
  const [problem, setProblem] = useState(null);
  const [questions, send] = useQuestions(id, state.questions, server.language, state.isRunning, setProblem);
  const { thread, usage } = state;
  const defaults = useDefaults(server, thread?.folder);
  useEffect(() => setTab("talk"), [id]);
  useEffect(() => setProblem(null), [id, server.language]);
  if (error?.status === 404) return html`<main class="thread"><${Empty} title=${error.message} /></main>`;
  const act = async (action, body) => {
    try {
      setProblem(null);
      return await post(`/api/threads/${id}/${action}`, body);
    } catch (failure) {
      setProblem(failure);
      return null;
    }
  };
  const press = (event) => {
    const next = { ArrowRight: 1, ArrowLeft: 2 }[event.key];
    if (!next) return;
    const name = TABS[(TABS.indexOf(tab) + next) % 3];
    setTab(name);
    document.getElementById(`tab-${name}`).focus();
  };
  const status = state.isRunning ? "running" : thread?.status;
  return html`<main class=${`thread ${status === "running" ? "" : "still"}`}>
    <header>
      <a class="back" href="#/" aria-label=${w("back")}>←</a>
      <div class="head"><h1>${thread ? thread.name || thread.title : "…"}</h1>
        <p class="facts">${thread && html`<${Status} name=${status} /><span class="folder" title=${thread.folder}>${shortFolder(thread.folder)}</span>`}
          ${state.model && html`<span class="model" title=${state.model}>${state.model.split("/").pop()}</span>`}
          ${usage && html`<${Usage} usage=${usage} />`}
          ${!isConnected && html`<span class="offline" role="status">${w("reconnecting")}</span>`}</p></div>
    <div class="tabs" role="tablist" onKeyDown=${press}>${TABS.map((name) => html`<button key=${name} role="tab" id=${`tab-${name}`}
      aria-selected=${tab === name} aria-controls="panel" class=${tab === name ? "chosen" : ""} onClick=${() => setTab(name)}>${w(`tab.${name}`)}</button>`)}</div>
    </header>
    <div class="panel" id="panel" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0">
      ${tab === "talk" && html`<${Talk} state=${state} id=${id} language=${server.language} act=${act} review=${() => setTab("files")} />`}
      ${tab === "files" && html`<${Files} id=${id} version=${state.changes} isRunning=${state.isRunning} act=${act} />`}
      ${tab === "steps" && html`<${Steps} id=${id} items=${state.items} version=${state.changes} isRunning=${state.isRunning} act=${act} />`}
    </div>
    <${Problem} error=${problem}><button class="link" onClick=${() => setProblem(null)}>${w("close")}</button></>
    ${tab === "talk" && !state.isRunning && questions && html`<${Questions} thread=${id} server=${defaults} questions=${questions} send=${send} folder=${thread?.folder} />`}
    ${tab === "talk" && (state.isRunning || !questions?.some(({ kind }) => kind !== "limit")) && html`<${Composer} key=${id} id=${id} state=${state} act=${act} server=${defaults} />`}
  </main>`;
}

function Usage({ usage }) {
  const share = usage.context_length ? Math.round((100 * usage.window) / usage.context_length) : 0;
  const cost = usage.cost === null ? "" : `$${usage.cost.toFixed(usage.cost < 0.1 ? 4 : 2)}`;
  return html`<span class="usage"><meter min="0" max="100" low="70" high="90" optimum="0" value=${share} aria-label=${w("context")}></meter> ${share} % ${cost}</span>`;
}

const hasDiff = ({ ok, diff, items }) => (ok && diff) || items?.some(hasDiff);

// What the last turn has changed, once it has ended
function Result({ id, version, act, review }) {
  const [news, setNews] = useState(null);
  const data = useData(`/api/threads/${id}/files`, [version]);
  if (!data || data.error) return null;
  const restore = async (kind) => {
    const result = await act(kind);
    if (result) setNews({ kind, ...result });
  };
  const isDone = data.files.findLast(({ by }) => /^(tool|shell|merge)$/.test(by))?.in_effect;
  if (!isDone && !news) return null;
  const { files, total } = countFiles(data);
  return html`<div class="result" role="group" aria-label=${w("tab.files")}>${isDone ? html`<strong>${countWords("files", files.length)}</strong> <${Counts} file=${total} />`
    : html`<span role="status">${describeRestore(news)}</span>`}<span class="space"></span>
    ${isDone && html`<button onClick=${review}>${w("result.review")}</button>`}
    <button onClick=${() => restore(isDone ? "undo" : "redo")}>${w(isDone ? "result.undo" : "redo")}</button></div>`;
}

function Talk({ state, id, language, act, review }) {
  const [shown, setShown] = useState(SHOWN);
  const talk = useRef(null);
  useEffect(() => {
    const panel = document.getElementById("panel");
    let isAtEnd = true;
    const note = () => { isAtEnd = panel.scrollHeight - panel.scrollTop - panel.clientHeight < 80; };
    const grow = new ResizeObserver(() => { if (isAtEnd) panel.scrollTop = panel.scrollHeight; });
    panel.addEventListener("scroll", note, { passive: true });
    grow.observe(talk.current);
    grow.observe(panel); // a question takes of its height
    return () => { panel.removeEventListener("scroll", note); grow.disconnect(); };
  }, []);
  const first = Math.max(0, state.items.length - shown);
  const { todos } = state;
  const hasEnded = !state.isRunning && state.thread?.status !== "waiting";
  const done = todos.filter((todo) => todo.status === "completed").length;
  return html`<div class="talk" ref=${talk}>
    ${first > 0 && html`<button class="link" onClick=${() => setShown(shown + SHOWN)}>${w("earlier", { count: first })}</button>`}
    ${state.isCut && html`<p class="note">${w("cut")}</p>`}
    <${Items} items=${state.items.slice(first)} first=${first} thread=${id} language=${language} />
    ${todos.length > 0 && html`<details class="todos" aria-label=${w("todos")} open=${done < todos.length}><summary><b>${w("todos")}</b> <span class="count">${w("todos.done", { done, all: todos.length })}</span></summary>
      <ul>${todos.map((todo, at) => html`<li key=${at} class=${todo.status}>${todo.content}</li>`)}</ul></details>`}
    ${hasEnded && state.items.slice(state.items.findLastIndex((item) => item.kind === "human") + 1).some(hasDiff) && html`<${Result} id=${id} version=${state.changes} act=${act} review=${review} />`}
    ${state.isRunning && html`<p class="busy" role="status"><span></span>${w("status.running")}</p>`}</div>`;
}

function Composer({ id, state, act, server }) {
  const [text, setText] = useDraft(`${id} say`);
  const [mode, setMode] = useState("");
  const [model, setModel] = useState("");
  const [isSending, setSending] = useState(false);
  const isChat = !state.thread || state.thread.graph === "chat";
  const takesText = isChat || state.isRunning;
  const held = { ...server, mode: state.isPlan ? "plan" : state.mode || server.mode, model: state.model || server.model };
  const send = async (event) => {
    event?.preventDefault();
    if (!text.trim() || isSending) return;
    setSending(true);
    const body = { text, ...(mode && { mode }), ...(model && { model }) };
    if (await act("messages", body)) setText("");
    setSending(false);
  };
  const press = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  };
  const canResume = ["interrupted", "limit", "failed"].includes(state.thread?.status) && !state.isRunning;
  if (!takesText && !canResume) return null;
  return html`<form class="composer" onSubmit=${send}><div class="box">
    ${takesText && html`<textarea rows=${Math.min(8, Math.max(1, text.split("\n").length))} value=${text} placeholder=${w(state.isRunning ? "steer" : "message")} aria-label=${w("message")}
      onInput=${(event) => setText(event.target.value)} onKeyDown=${press} />`}
    <div class="actions">
      ${isChat && !state.isRunning && html`<${Choices} server=${held} mode=${mode} model=${model} setMode=${setMode} setModel=${setModel} />`}
      <span class="space"></span>
      ${canResume && html`<button type="button" onClick=${() => act("resume")}>${w("resume")}</button>`}
      ${state.isRunning && html`<button type="button" class="danger" onClick=${() => act("stop")}>${w("stop")}</button>`}
      ${takesText && html`<button class="primary" disabled=${isSending || !text.trim()}>${w("send")}</button>`}
    </div></div>
  </form>`;
}

function useData(path, dependencies) {
  const [data, setData] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    get(path).then((answer) => isCurrent && setData(answer), (error) => isCurrent && setData({ error }));
    return () => { isCurrent = false; };
  }, [path, ...dependencies]);
  return data;
}

function countFiles(data) {
  const named = new Map(data.files.filter((each) => each.in_effect && each.by !== "others").map((each) => [each.path, each]));
  const files = parseDiff(data.diff).filter((file) => file.path);
  const drawn = new Set(files.map((file) => file.path));
  for (const { path, kind } of named.values()) if (!drawn.has(path)) files.push({ path, kind, rows: [], about: [], added: 0, removed: 0 });
  const total = { added: 0, removed: 0 };
  for (const file of files) { total.added += file.added; total.removed += file.removed; }
  return { named, files, total };
}

function Files({ id, version, isRunning, act }) {
  const [news, setNews] = useState(null);
  const data = useData(`/api/threads/${id}/files`, [version]);
  const restore = async (kind) => {
    const result = await act(kind);
    if (result) setNews({ kind, ...result });
  };
  if (!data) return html`<${Empty} title="…" />`;
  if (data.error) return html`<${Problem} error=${data.error} />`;
  const { named, files, total } = countFiles(data);
  return html`<div class="files">
    <div class="choices"><span class="total"><strong>${files.length > 0 && countWords("files", files.length)}</strong> <${Counts} file=${total} /></span>
      <button disabled=${isRunning || !named.size} onClick=${() => restore("undo")}>${w("undo")}</button>
      <button disabled=${isRunning} onClick=${() => restore("redo")}>${w("redo")}</button></div>
    ${news && html`<p class="note" role="status">${describeRestore(news)}</p>`}
    ${!files.length && html`<${Empty} title=${w("no_files")} text=${w("no_files.next")} />`}
    ${files.map((file) => html`<${FileCard} key=${file.path} file=${file} />`)}</div>`;
}

function describeRestore({ kind, files, conflicts }) {
  const done = files.length ? w(`${kind}_done`, { files: files.join(", ") }) : w("nothing_changed");
  return [done, conflicts.map((each) => `${each.path}: ${each.reason}`).join("; ")].filter(Boolean).join(" · ");
}

// What a step called: `Ran make test`; without what it was about where the conversation has it no more
const describeTools = ({ tools, calls }, items) => [...new Set(tools.map((tool, at) => {
  const [verb, about] = describeCall(tool, items.find((item) => item.id === calls[at])?.args || {});
  return `${w(`call.${verb}.done`)} ${about}`.trim();
}))].join(" · ");

// The steps as a tree: below each those that a rewind has left after it, and forks from it
function Steps({ id, version, items, isRunning, act }) {
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
    const called = describeTools(step, items);
    const isFailed = items.some((item) => item.ok === false && step.calls.includes(item.id));
    const about = [step.words && called, step.role !== "build" && step.role, ...step.files.filter((path) => !called.includes(path))].filter(Boolean);
    return html`<li key=${step.checkpoint_id || step.number} class=${isHere ? "here" : ""} tabindex="-1" aria-current=${isHere ? "step" : null}>
    <span class="number">${step.number}</span><span class="what">${isFailed && html`<span class="failed">${w("mark.bad")}</span> `}${step.words ? html`<${Inline} text=${step.words} />` : called}<small>${isHere && html`<b>${w("here")}</b>`}${about.map((each) => html`<span>${each}</span>`)}</small></span>
    <span class="choices">${asked === step.checkpoint_id ? html`<button class="danger" onClick=${() => rewind(step)}>${w("rewind_sure")}</button>
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
    ${origin.map((row) => link(row, "origin"))}
    <ol>${steps.map((step, at) => draw(step, at === last, true))}</ol></div>`;
}
