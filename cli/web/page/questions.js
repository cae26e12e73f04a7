// What a thread waits for: approvals, choices, texts, forms, limits.

import { html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { Choices } from "/page/choices.js";
import { get, post } from "/page/client.js";
import { Counts, Diff, parseDiff } from "/page/diff.js";
import { Icon } from "/page/icons.js";
import { Problem } from "/page/inbox.js";
import { drafts, Inline, Markdown, useDraft } from "/page/text.js";
import { describeCall, w } from "/page/words.js";

// The open questions of a thread; null: not known yet. The first history says by its `status` whether there are some
export function useQuestions(thread, version, language, isRunning, status, onError) {
  const [questions, setQuestions] = useState(null);
  const read = () => get(`/api/threads/${thread}/questions`);
  useEffect(() => {
    let isCurrent = true;
    if (isRunning || !version) setQuestions(null);
    else if (version === 1 && !/^(waiting|limit)$/.test(status)) setQuestions([]);
    else read().then((answer) => isCurrent && setQuestions(answer.questions), () => {});
    return () => { isCurrent = false; };
  }, [thread, version, language, isRunning]);
  const send = async (question, choices) => {
    const own = [...drafts].filter(([key]) => key.startsWith(`${thread} ${question.id} `));
    for (const [key] of own) drafts.delete(key);
    try {
      await post(`/api/threads/${thread}/answers`, { question: question.id, choices });
      return null;
    } catch (error) {
      for (const [key, text] of own) drafts.set(key, text);
      // it is open no more
      if (error.status === 409) {
        onError(error);
        read().then((answer) => setQuestions(answer.questions), () => {});
      }
      return error;
    }
  };
  return [questions, send];
}

export function Questions({ thread, questions, send, server, folder }) {
  const [, redraw] = useState(0);
  const isOpen = (key) => questions.some((question) => key.startsWith(`${thread} ${question.id} `));
  const left = [...drafts].filter(([key]) => key.startsWith(`${thread} `) && key.endsWith(" edit") && !isOpen(key));
  const drop = (key) => { drafts.delete(key); redraw((count) => count + 1); };
  if (!left.length && !questions.length) return null;
  return html`<div class="dock">${left.map(([key, text]) => html`<section key=${key} class="question" aria-label=${w("not_taken")}><p class="reason">${w("not_taken")}</p>
      <pre class="output" tabindex="0">${text}</pre><button class="link" onClick=${() => drop(key)}>${w("close")}</button></section>`)}
    ${questions.map((question) => html`<${Card} key=${question.id} thread=${thread} server=${server} folder=${folder} question=${question} send=${send} />`)}</div>`;
}

function Card({ thread, server, folder, question, send }) {
  const [choices, setChoices] = useState({});
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState(null);
  const [first] = question.requests;
  const choose = async (number, choice) => {
    const next = { ...choices, [number]: choice };
    setChoices(next);
    if (Object.keys(next).length < question.requests.length) return;
    setSent(true);
    const error = await send(question, question.requests.map((_, at) => next[at]));
    setProblem(error);
    setSent(false);
    // what was not taken can be changed: the last choice, and every edited call
    if (error) setChoices(Object.fromEntries(Object.entries(next).filter(([at, each]) => Number(at) !== number && !each.edit)));
  };
  return html`<section class="question" aria-label=${w("question")} aria-busy=${isSent}>
    <h2>${w(question.kind !== "approval" || /^plan_/.test(first.name) ? `ask.${question.kind}` : !first.is_call ? "ask.answer" : first.name === "run_command" ? "ask.command" : first.diff ? "ask.change" : "ask.approval")}${question.agent && html` <span class="agent">${question.agent}</span>`}</h2>
    ${question.requests.map((request, number) => html`<${Request} key=${number} request=${request} server=${server} folder=${folder} id=${`${thread} ${question.id} ${number}`}
      choice=${choices[number]} isSent=${isSent} choose=${(choice) => choose(number, choice)} />`)}
    <${Problem} error=${problem} />
  </section>`;
}

// What is asked, readable: a command as a command, a change as a change
function Asked({ request, files }) {
  const { name, args, texts, subject, verb, title } = request;
  if (/^plan_/.test(name)) return html`<p>${title}</p>`;
  if (texts.length) return null;
  const isCommand = name === "run_command" && typeof args.command === "string";
  // of a call, all that it sends is shown: the command, the change, or every argument
  const drawn = isCommand ? ["command"] : files.length ? Object.keys(args) : [];
  const others = Object.entries(args).filter(([key, value]) => request.is_call && !drawn.includes(key) && value !== subject);
  return html`${!isCommand && html`<p class="call-title"><b>${verb}</b> <code>${subject}</code> ${files.length === 1 && html`<${Counts} file=${files[0]} />`}</p>`}
    ${isCommand && html`<pre class="command" tabindex="0">${args.command}</pre>`}
    ${others.length > 0 && html`<dl class="arguments">${others.map(([key, value]) => html`<dt>${key}</dt><dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`)}</dl>`}`;
}

// A yes that also holds later
const isLasting = ({ optionId }) => /^(thread|always)$/.test(optionId);

// What a choice says, and below it what it means
function drawOption(option, { rule, is_call }, folder) {
  const { optionId, name } = option;
  if (!is_call) return name;
  if (isLasting(option)) {
    const [, tool, about] = /^(\w+)\((.*)\)$/s.exec(rule) || [];
    if (!tool) return html`<span>${w(`option.${optionId}`)}</span><small>${name}</small>`;
    return html`<span>${w(`option.${optionId}`)}</span><small>${w(`call.${describeCall(tool, {})[0]}`)} <code>${about.replaceAll(`/${folder}/`, "").replace(/:\*$/, " *")}</code></small>`;
  }
  return html`<span>${name}</span><small>${w(`option.${optionId}`)}</small>`;
}

function Request({ id, request, server, folder, choice, choose: chooseBare, isSent }) {
  const { texts, diff, reason, options, chosen } = request;
  const isDone = Boolean(choice) || isSent;
  const isPlan = request.name === "plan_exit";
  const editing = isPlan ? "edit_plan" : request.name === "run_command" ? "edit_call.command" : diff ? "edit_call.change" : "edit_call";
  const files = diff ? parseDiff(diff) : [];
  const lasting = options.filter(isLasting);
  const [isEdited, setEdited] = useState(drafts.has(`${id} edit`));
  const [mode, setMode] = useDraft(`${id} mode`, chosen.mode || "");
  const [model, setModel] = useDraft(`${id} model`, chosen.model || "");
  const choose = (answer) => chooseBare(isPlan ? { ...answer, mode, model, draft: Boolean(answer.edit) } : answer);
  const draw = (option) => html`<button type="button" disabled=${isDone}
    class=${`option ${option.kind.startsWith("reject") ? "refuse" : option !== options[0] || option.optionId.startsWith("choice") ? (isLasting(option) ? "lasting" : "") : "primary"}`} key=${option.optionId}
    onClick=${() => choose({ option: option.optionId })}>${drawOption(option, request, folder)}</button>`;
  return html`<div class=${`request ${choice ? "decided" : ""}`}>
    <${Asked} request=${request} files=${files} />
    ${reason && html`<p class="reason"><${Inline} text=${reason} /></p>`}
    ${!(isPlan && isEdited) && texts.map((text) => html`<${Markdown} text=${text} />`)}
    <${Diff} files=${files} />
    ${request.url && html`<p><a href=${/^https?:/i.test(request.url) ? request.url : null} target="_blank" rel="noopener noreferrer">${request.url}</a></p>`}
    ${request.form ? html`<${Form} schema=${request.form} choose=${choose} isDone=${isDone} />` : !isEdited && html`<div class="decide">
      ${isPlan && html`<div class="choices"><${Choices} server=${server} modes=${server.modes.filter((name) => name !== "plan")} mode=${mode} model=${model} setMode=${setMode} setModel=${setModel} /></div>`}
      <div class=${`choices options ${lasting.length ? "pairs" : ""}`}>${options.filter((each) => !lasting.includes(each)).map(draw)}</div>
      ${lasting.length > 0 && html`<details class="grants" open=${matchMedia("(min-width:761px)").matches}><summary>${w("grants")}</summary><div class="choices options pairs">${lasting.map(draw)}</div></details>`}
      ${(request.takes_text || request.takes_edit) && html`<div class="choices below">${request.takes_text && html`<${TextAnswer} id=${id} choose=${choose} isDone=${isDone} hint=${request.takes_edit && !isPlan && w("instead")} label=${w(isPlan ? "plan_otherwise" : request.takes_edit ? "refuse_instead" : options.length ? "answer_instead" : "answer")} />`}
        ${request.takes_edit && html`<button type="button" class="link" disabled=${isDone} onClick=${() => setEdited(true)}><${Icon} name="edit" />${w(editing)}</button>`}</div>`}</div>`}
    ${request.takes_edit && isEdited && html`<${EditCall} id=${id} isPlan=${isPlan} label=${w(editing)} request=${request} choose=${choose} isDone=${isDone} close=${() => setEdited(false)} />`}
  </div>`;
}

function TextAnswer({ id, choose, isDone, label, hint }) {
  const [text, setText] = useDraft(`${id} text`);
  const submit = (event) => {
    event.preventDefault();
    if (text.trim()) choose({ text });
  };
  return html`<form class="answer" onSubmit=${submit}>
    <input value=${text} disabled=${isDone} aria-label=${label} placeholder=${hint || label}
      onInput=${(event) => setText(event.target.value)} />
    <button class="primary" disabled=${isDone || !text.trim()}>${w("send")}</button>
  </form>`;
}

function EditCall({ id, isPlan, label, request, choose, isDone, close }) {
  const { args, edited } = request;
  const [text, setText] = useDraft(`${id} edit`, edited ? args[edited] : JSON.stringify(args, null, 2));
  const [problem, setProblem] = useState("");
  const field = useRef(null);
  useEffect(() => field.current.focus(), []);
  const submit = (event) => {
    event.preventDefault();
    setProblem("");
    try {
      choose({ edit: edited ? { ...args, [edited]: withLineEnds(text, args[edited]) } : JSON.parse(text) });
    } catch ({ message }) {
      setProblem(w("no_json", { reason: message }));
    }
  };
  return html`<form class="edit" onSubmit=${submit}>
    <textarea ref=${field} rows=${Math.min(24, text.split("\n").length + 2)} aria-label=${edited || label} value=${text} disabled=${isDone}
      spellcheck=${false} onInput=${(event) => setText(event.target.value)} />
    ${problem && html`<p class="error" role="alert">${problem}</p>`}
    <div class="choices"><button class="primary" disabled=${isDone}>${w(isPlan ? "save_plan" : "run_edited")}</button>
      <button type="button" disabled=${isDone} onClick=${close}>${w("cancel")}</button></div>
  </form>`;
}

// A field of a page has `\n` alone
const withLineEnds = (text, before) => (before.includes("\r\n") ? text.replace(/\r?\n/g, "\r\n") : text);

function Form({ schema, choose, isDone }) {
  const fields = Object.entries(schema.properties || {});
  const submit = (event) => {
    event.preventDefault();
    const values = {};
    for (const [name, field] of fields) {
      const input = event.target.elements[`field-${name}`];
      if (field.type === "boolean") values[name] = input.checked;
      else if (input.value !== "") {
        values[name] = ["number", "integer"].includes(field.type) ? Number(input.value) : input.value;
      }
    }
    choose({ form: values });
  };
  return html`<form class="form" onSubmit=${submit}>
    ${fields.map(([name, field]) => html`<label key=${name}>${field.title || name}
      ${field.enum ? html`<select name=${`field-${name}`}>${field.enum.map((value) => html`<option>${value}</option>`)}</select>`
        : html`<input name=${`field-${name}`} required=${(schema.required || []).includes(name) && field.type !== "boolean"}
            type=${field.type === "boolean" ? "checkbox" : ["number", "integer"].includes(field.type) ? "number" : "text"}
            step=${field.type === "number" ? "any" : null} />`}
      ${field.description && html`<small>${field.description}</small>`}</label>`)}
    <div class="choices"><button class="primary" disabled=${isDone}>${w("send")}</button>
    <button type="button" class="danger" disabled=${isDone} onClick=${() => choose({ option: "reject" })}>${w("decline")}</button></div>
  </form>`;
}
