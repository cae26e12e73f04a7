// The memory inbox: what a model would like to remember, until the user keeps or drops it.

import { html, useEffect, useState } from "/page/vendor/htm-preact.js";
import { get, post } from "/page/client.js";
import { Empty, Problem } from "/page/inbox.js";
import { w } from "/page/words.js";

// Cards that wait; read again when a run has begun or ended
export function useCards(version) {
  const [cards, setCards] = useState([]);
  useEffect(() => { get("/api/memory").then((answer) => setCards(answer.cards), () => {}); }, [version]);
  return [cards, setCards];
}

export function Memory({ cards, setCards }) {
  return html`<main class="thread"><header><a class="back" href="#/" aria-label=${w("back")}>←</a><h1>${w("memory")}</h1></header>
    <div class="panel"><div class="talk">${!cards.length && html`<${Empty} key="no_cards" title=${w("no_cards")} text=${w("no_cards.next")} />`}
      ${cards.map((card) => html`<${MemoryCard} key=${card.id} card=${card} drop=${() => setCards(cards.filter((each) => each !== card))} />`)}</div></div></main>`;
}

function MemoryCard({ card, drop }) {
  const [content, setContent] = useState(card.content);
  const [problem, setProblem] = useState(null);
  const decide = (action) => post(`/api/memory/${card.id}`, { action, content }).then(drop, setProblem);
  return html`<section class="question" aria-label=${card.content}>
    <p class="facts"><b>${card.type}</b><span>${card.reason}</span><span class="folder">${card.place}</span>
      ${card.thread && html`<a class="link" href=${`#/t/${card.thread}`}>${w("thread")}</a>`}</p>
    <textarea rows=${Math.ceil(content.length / 60)} aria-label=${card.type} value=${content} onInput=${(event) => setContent(event.target.value)} />
    <${Problem} error=${problem} />
    <div class="choices"><button class="primary" onClick=${() => decide("keep")}>${w("keep")}</button>
      <button class="danger" onClick=${() => decide("drop")}>${w("drop")}</button></div></section>`;
}
