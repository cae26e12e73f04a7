// One thread: its conversation, files and steps, and where the user writes.

import { html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { Choices, useDefaults } from "/page/choices.js";
import { follow, get, post } from "/page/client.js";
import { Files, Result } from "/page/files.js";
import { Empty, Failed, Problem, shortFolder, Status } from "/page/inbox.js";
import { Elapsed, Items } from "/page/items.js";
import { Questions, useQuestions } from "/page/questions.js";
import { EMPTY, findFailure, findVerdict, hasDiff, listFailures, listTurn, reduce } from "/page/reducer.js";
import { Steps } from "/page/steps.js";
import { findQuestion, isYesNo, strip, useDraft } from "/page/text.js";
import { countWords, w } from "/page/words.js";

// Entries that are drawn at once; the earlier ones come with a button
const SHOWN = 120;
// Calls from which on a wide window shows the steps by itself
const MANY = 4;

function useThread(id, language) {
  const [, draw] = useState(0);
  const place = useRef(null);
  if (place.current?.id !== id) place.current = { id, state: EMPTY, isConnected: false, error: null, language };
  useEffect(() => {
    const own = place.current;
    let frame = 0;
    const redraw = () => {
      frame ||= requestAnimationFrame(() => { frame = 0; draw((count) => count + 1); });
      // no frames there
      if (document.hidden) draw((count) => count + 1);
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

const PANES = ["files", "steps"];
// On a screen as wide as this, files or steps stand beside the conversation
const WIDE = matchMedia("(min-width:80rem)");

function useWide() {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const change = () => setWide(WIDE.matches);
    WIDE.addEventListener("change", change);
    return () => WIDE.removeEventListener("change", change);
  }, []);
  return isWide;
}

export function Thread({ id, server, waiting }) {
  const { state, isConnected, error } = useThread(id, server.language);
  const isWide = useWide();
  const [chosen, setTab] = useState("");
  const [problem, setProblem] = useState(null);
  const [hasAnswered, setAnswered] = useState(false);
  const [questions, sendBare] = useQuestions(id, state.questions, server.language, state.isRunning, state.thread?.status, setProblem);
  const { thread, usage } = state;
  const defaults = useDefaults(server, thread?.folder);
  useEffect(() => setTab(""), [id]);
  // the steps of a long thread are not asked for unseen
  const isLong = useRef(null);
  if (thread) isLong.current ??= state.items.length > SHOWN;
  const tab = chosen || (isWide && thread && (state.items.some(hasDiff) ? "files" : !isLong.current && state.items.filter(({ kind }) => kind === "call").length >= MANY && "steps")) || "talk";
  useEffect(() => setProblem(null), [id, server.language]);
  if (error?.status === 404) return html`<main class="thread"><${Empty} title=${error.message} /></main>`;
  const send = async (...answer) => {
    const failed = await sendBare(...answer);
    setAnswered(!failed);
    return failed;
  };
  const act = async (action, body) => {
    try {
      setProblem(null);
      const result = await post(`/api/threads/${id}/${action}`, body);
      setAnswered(Boolean(question));
      return result;
    } catch (failure) {
      setProblem(failure);
      return null;
    }
  };
  const last = state.items.at(-1);
  const question = !state.isRunning && thread?.status === "idle" && last?.kind === "answer" ? findQuestion(last.text) : "";
  const turn = listTurn(state.items);
  const verdict = findVerdict(turn);
  const failure = findFailure(turn, thread);
  const hasEnded = !state.isRunning && thread && thread.status !== "waiting";
  const hasResult = hasEnded && (turn.some(hasDiff) || verdict || failure);
  const status = state.isRunning ? "running" : question ? "waiting" : failure || (hasEnded && verdict === "failed") ? "failed" : thread?.status;
  const review = tab !== "files" && (() => setTab("files"));
  const result = hasResult && html`<${Result} id=${id} state=${state} act=${act} review=${review} verdict=${verdict} failure=${failure} />`;
  const isBeside = isWide && tab !== "talk";
  const isTalk = tab === "talk" || isWide;
  const aside = tab === "files" ? html`<${Files} id=${id} version=${state.changes} isRunning=${state.isRunning} act=${act} />`
    : html`<${Steps} id=${id} items=${state.items} version=${state.changes} isRunning=${state.isRunning} act=${act} />`;
  // what a card asks is not drawn twice
  const asked = new Set(state.isRunning ? [] : questions?.flatMap(({ requests }) => requests.map((each) => each.call_id)));
  return html`<main class=${`thread ${status === "running" ? "" : "still"} ${isBeside ? "split" : ""}`}>
    <header>
      <a class="back" href="#/" aria-label=${[w("back"), waiting.length > 0 && countWords("wait", waiting.length)].filter(Boolean).join(", ")}>←${waiting.length > 0 && html`<b>${waiting.length}</b>`}</a>
      <div class="head"><h1>${thread ? thread.name || thread.title : "…"}</h1>
        <p class="facts">${thread && html`<${Status} name=${status} />${state.isRunning && html`<${Elapsed} since=${state.since} />`}${status !== "failed" && html`<${Failed} count=${listFailures(state.items).length} />`}
            <span class="model">${w(`graph.${thread.graph}`)}</span><span class="folder" title=${thread.folder}>${shortFolder(thread.folder)}</span>`}
          ${state.model && html`<span class="model" title=${state.model}>${state.model.split("/").pop()}</span>`}
          ${usage && html`<${Usage} usage=${usage} />`}
          ${!isConnected && html`<span class="offline" role="status">${w("reconnecting")}</span>`}</p></div>
    <div class="tabs">${PANES.map((name) => html`<button key=${name} id=${`tab-${name}`} aria-pressed=${tab === name} onClick=${() => setTab(tab === name ? "talk" : name)}>${w(`tab.${name}`)}</button>`)}</div>
    </header>
    <div class="column"><div class="panel" id="panel" role="region" aria-label=${w(`tab.${isTalk ? "talk" : tab}`)} tabindex="0">
      ${isTalk ? html`<${Talk} state=${state} id=${id} language=${server.language} asked=${asked} review=${review} result=${result} />` : aside}
    </div>${!isTalk && result}
    ${hasAnswered && waiting.length > 0 && html`<a class="button next" href=${`#/t/${waiting[0].thread_id}`}>${w("next")} →</a>`}
    <${Problem} error=${problem}><button class="link" onClick=${() => setProblem(null)}>${w("close")}</button></>
    ${isTalk && !state.isRunning && questions && html`<${Questions} thread=${id} server=${defaults} questions=${questions} send=${send} folder=${thread?.folder} />`}
    ${isTalk && (state.isRunning || !questions?.some(({ kind }) => kind !== "limit")) && html`<${Composer} key=${id} id=${id} state=${state} act=${act} server=${defaults} question=${question} hint=${isWide ? w("answer_to", { question: strip(question) }) : w("answer")} />`}</div>
    ${isBeside && html`<div class="panel side" id="side" role="region" aria-label=${w(`tab.${tab}`)} tabindex="0"><p class="pane"><strong>${w(`tab.${tab}`)}</strong><button class="link" aria-label=${w("close")} onClick=${() => setTab("talk")}>✕</button></p>${aside}</div>`}
  </main>`;
}

function Usage({ usage }) {
  const share = usage.context_length ? Math.round((100 * usage.window) / usage.context_length) : 0;
  const cost = usage.cost ? `$${usage.cost.toFixed(usage.cost < 0.1 ? 4 : 2)}` : "";
  return html`<span class=${`usage ${share < 60 ? "low" : ""}`}>${w("context", { share })}${cost && ` · ${cost}`}</span>`;
}

// A row that says itself what is being done
const isAtWork = (item) => item?.kind === "thinking" || (item?.kind === "call" && (item.ok ?? null) === null) || item?.status === "running";

function Talk({ state, id, language, asked, review, result }) {
  const [shown, setShown] = useState(SHOWN);
  const talk = useRef(null);
  useEffect(() => {
    const panel = document.getElementById("panel");
    let isAtEnd = true;
    const note = () => { isAtEnd = panel.scrollHeight - panel.scrollTop - panel.clientHeight < 80; };
    const grow = new ResizeObserver(() => { if (isAtEnd) panel.scrollTop = panel.scrollHeight; });
    panel.addEventListener("scroll", note, { passive: true });
    grow.observe(talk.current);
    // a question takes of its height
    grow.observe(panel);
    return () => { panel.removeEventListener("scroll", note); grow.disconnect(); };
  }, []);
  const first = Math.max(0, state.items.length - shown);
  const { todos } = state;
  const done = todos.filter((todo) => todo.status === "completed").length;
  return html`<div class="talk" ref=${talk}>
    ${first > 0 && html`<button class="link" onClick=${() => setShown(shown + SHOWN)}>${w("earlier", { count: first })}</button>`}
    ${state.isCut && html`<p class="note">${w("cut")}</p>`}
    <${Items} items=${state.items.slice(first).filter((item) => !asked.has(item.id))} first=${first} thread=${id} language=${language} isFolded=${!review} />
    ${todos.length > 0 && html`<details class="todos" aria-label=${w("todos")} open=${done < todos.length}><summary><b>${w("todos")}</b> <span class="count">${w("todos.done", { done, all: todos.length })}</span></summary>
      <ul>${todos.map((todo, at) => html`<li key=${at} class=${todo.status}>${todo.content}</li>`)}</ul></details>`}
    ${result}
    ${state.isRunning && !isAtWork(state.items.at(-1)) && html`<p class="busy" role="status"><span></span>${w("status.running")}</p>`}</div>`;
}

function Composer({ id, state, act, server, question, hint }) {
  const [text, setText] = useDraft(`${id} say`);
  const [mode, setMode] = useState("");
  const [model, setModel] = useState("");
  const [isSending, setSending] = useState(false);
  const isChat = !state.thread || state.thread.graph === "chat";
  const takesText = isChat || state.isRunning;
  const held = { ...server, mode: state.isPlan ? "plan" : state.mode || server.mode, model: state.model || server.model };
  const send = async (event, said = text) => {
    event?.preventDefault();
    if (!said.trim() || isSending) return;
    setSending(true);
    const body = { text: said, ...(mode && { mode }), ...(model && { model }) };
    if (await act("messages", body)) setText("");
    setSending(false);
  };
  const press = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  };
  const canResume = ["interrupted", "limit", "failed"].includes(state.thread?.status) && !state.isRunning;
  if (!takesText && !canResume) return null;
  // a button that a finger meets takes the focus from no field: the box would move below it
  return html`<form class="composer" onSubmit=${send}><div class=${`box ${question ? "asked-for" : ""}`} onMouseDown=${(event) => event.target.tagName === "BUTTON" && event.preventDefault()}>
    ${question && !text && isYesNo(strip(question)) && html`<div class="quick">${["yes", "no"].map((name) => html`<button type="button" key=${name} disabled=${isSending} onClick=${() => send(null, w(`quick.${name}`))}>${w(`quick.${name}`)}</button>`)}</div>`}
    ${takesText && html`<textarea rows=${Math.min(8, Math.max(1, text.split("\n").length))} value=${text} placeholder=${question ? hint : w(state.isRunning ? "steer" : "message")} aria-label=${w("message")}
      onInput=${(event) => setText(event.target.value)} onKeyDown=${press} />`}
    <div class="actions">${isChat && !state.isRunning && html`<${Choices} server=${held} mode=${mode} model=${model} setMode=${setMode} setModel=${setModel} />`}
      <span class="space"></span>
      ${canResume && html`<button type="button" onClick=${() => act("resume")}>${w("resume")}</button>`}
      ${state.isRunning && html`<button type="button" class="danger" onClick=${() => act("stop")}>${w("stop")}</button>`}
      ${takesText && html`<button class="primary" disabled=${isSending || !text.trim()}>${w("send")}</button>`}
    </div></div>
  </form>`;
}
