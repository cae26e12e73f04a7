// What a thread waits for: approvals, choices, texts, forms, limits.

import { html, useEffect, useRef, useState } from "/page/vendor/htm-preact.js";
import { Choices } from "/page/choices.js";
import { get, post } from "/page/client.js";
import { Diff, drafts, Markdown, useDraft } from "/page/text.js";
import { w } from "/page/words.js";

export function Questions({ thread, version, server, language, isRunning, onError }) {
  const [questions, setQuestions] = useState(null); // not known yet
  const [, redraw] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    if (isRunning) setQuestions(null);
    else get(`/api/threads/${thread}/questions`).then(
      (answer) => isCurrent && setQuestions(answer.questions), () => {});
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
      if (error.status === 409) { // it is open no more
        onError(error);
        get(`/api/threads/${thread}/questions`).then((answer) => setQuestions(answer.questions), () => {});
      }
      return error;
    }
  };
  const isOpen = (key) => questions?.some((question) => key.startsWith(`${thread} ${question.id} `));
  const left = isRunning || !questions ? [] : [...drafts].filter(([key]) => key.startsWith(`${thread} `) && key.endsWith(" edit") && !isOpen(key));
  const drop = (key) => { drafts.delete(key); redraw((count) => count + 1); };
  return html`${left.map(([key, text]) => html`<section key=${key} class="question" aria-label=${w("not_taken")}><p class="reason">${w("not_taken")}</p>
      <pre class="output" tabindex="0">${text}</pre><button class="link" onClick=${() => drop(key)}>${w("close")}</button></section>`)}
    ${questions?.map((question) => html`<${Card} key=${question.id} thread=${thread} server=${server} question=${question} send=${send} />`)}`;
}

function Card({ thread, server, question, send }) {
  const [choices, setChoices] = useState({});
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState(null);
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
    <h2>${w(`ask.${question.kind}`)}${question.agent && html` <span class="agent">${question.agent}</span>`}</h2>
    ${question.requests.map((request, number) => html`<${Request} key=${number} request=${request} server=${server} id=${`${thread} ${question.id} ${number}`}
      choice=${choices[number]} isSent=${isSent} choose=${(choice) => choose(number, choice)} />`)}
    ${problem && html`<p class="error" role="alert">${problem.message} <small>${problem.hint}</small></p>`}
  </section>`;
}

function Request({ id, request, server, choice, choose: chooseBare, isSent }) {
  const { texts, diff, reason, options, chosen } = request;
  const isDone = Boolean(choice) || isSent;
  const isPlan = request.name === "plan_exit";
  const [isEdited, setEdited] = useState(drafts.has(`${id} edit`));
  const [mode, setMode] = useDraft(`${id} mode`, chosen.mode || "");
  const [model, setModel] = useDraft(`${id} model`, chosen.model || "");
  const choose = (answer) => chooseBare(isPlan ? { ...answer, mode, model, draft: Boolean(answer.edit) } : answer);
  return html`<div class=${`request ${choice ? "decided" : ""}`}>
    ${/^plan_/.test(request.name) ? html`<p>${request.title}</p>` : !texts.length && html`<p class="call-title"><code>${request.title}</code></p>`}
    ${reason && html`<p class="reason">${reason}</p>`}
    ${!(isPlan && isEdited) && texts.map((text) => html`<${Markdown} text=${text} />`)}
    ${diff && html`<${Diff} text=${diff} />`}
    ${request.url && html`<p><a href=${/^https?:/i.test(request.url) ? request.url : null} target="_blank" rel="noopener noreferrer">${request.url}</a></p>`}
    ${request.form ? html`<${Form} schema=${request.form} choose=${choose} isDone=${isDone} />` : !isEdited && html`
      ${isPlan && html`<div class="choices"><${Choices} server=${server} modes=${server.modes.filter((name) => name !== "plan")} mode=${mode} model=${model} setMode=${setMode} setModel=${setModel} /></div>`}
      <div class="choices">${options.map((option, at) => html`<button type="button" disabled=${isDone}
        class=${option.kind.startsWith("reject") ? "danger" : at && !option.optionId.startsWith("choice") ? "" : "primary"} key=${option.optionId}
        onClick=${() => choose({ option: option.optionId })}>${option.name}</button>`)}</div>`}
    ${request.takes_text && !isEdited && html`<${TextAnswer} id=${id} choose=${choose} isDone=${isDone} label=${w(isPlan ? "plan_otherwise" : options.length ? "answer_instead" : "answer")} />`}
    ${request.takes_edit && html`<${EditCall} id=${id} isPlan=${isPlan} request=${request} choose=${choose} isDone=${isDone} isOpen=${isEdited} open=${setEdited} />`}
  </div>`;
}

function TextAnswer({ id, choose, isDone, label }) {
  const [text, setText] = useDraft(`${id} text`);
  const submit = (event) => {
    event.preventDefault();
    if (text.trim()) choose({ text });
  };
  return html`<form class="answer" onSubmit=${submit}>
    <input value=${text} disabled=${isDone} aria-label=${label} placeholder=${label}
      onInput=${(event) => setText(event.target.value)} />
    <button class="primary" disabled=${isDone || !text.trim()}>${w("send")}</button>
  </form>`;
}

function EditCall({ id, isPlan, request, choose, isDone, isOpen, open }) {
  const { args, edited } = request;
  const [text, setText] = useDraft(`${id} edit`, edited ? args[edited] : JSON.stringify(args, null, 2));
  const [problem, setProblem] = useState("");
  const field = useRef(null);
  useEffect(() => { if (isOpen) field.current.focus(); }, [isOpen]);
  if (!isOpen) return html`<button type="button" class="link" disabled=${isDone} onClick=${() => open(true)}>${w(isPlan ? "edit_plan" : "edit_call")}</button>`;
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
    <textarea ref=${field} rows=${Math.min(24, text.split("\n").length + 2)} aria-label=${edited || w("edit_call")} value=${text} disabled=${isDone}
      spellcheck=${false} onInput=${(event) => setText(event.target.value)} />
    ${problem && html`<p class="error" role="alert">${problem}</p>`}
    <div class="choices"><button class="primary" disabled=${isDone}>${w(isPlan ? "save_plan" : "run_edited")}</button>
      <button type="button" disabled=${isDone} onClick=${() => open(false)}>${w("cancel")}</button></div>
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
