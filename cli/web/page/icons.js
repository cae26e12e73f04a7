// Glyphs for what a call does; its verb stands beside each.

import { html } from "/page/vendor/htm-preact.js";

const LINES = {
  read: "M8 4C6.5 2.8 4 2.7 2 3v9.5c2-.3 4.5-.2 6 1 1.5-1.2 4-1.3 6-1V3c-2-.3-4.5-.2-6 1zv9.5",
  list: "M2 4.5h4l1.5 2H14v6.5H2z",
  search: "M7 2.5a4.5 4.5 0 1 0 .01 0M10.2 10.2L14 14",
  edit: "M2.5 13.5l.8-3.3 7.4-7.4 2.5 2.5-7.4 7.4z",
  write: "M4 2h5l3.5 3.5V14H4zM8 7v4.5M5.8 9.2h4.5",
  run: "M2.5 4l4 4-4 4M8.5 12h5",
  stop: "M4 4h8v8H4z",
  plan: "M2 4l1.2 1.2L5.5 3M8 4.2h6M2 10.5l1.2 1.2 2.3-2.2M8 10.7h6",
  ask: "M5.5 6.2a2.5 2.5 0 1 1 3.7 2.2c-.8.4-1.2.9-1.2 1.9M8 13v.2",
  fetch: "M8 2a6 6 0 1 0 .01 0M2 8h12M8 2c3.5 4 3.5 8 0 12-3.5-4-3.5-8 0-12",
  recall: "M3 3v4h4M3.3 7A5.2 5.2 0 1 1 3 9.5",
  finish: "M2.5 8.5l3.5 3.5 7.5-8",
  think: "M8 2l1.4 4.6L14 8l-4.6 1.4L8 14l-1.4-4.6L2 8l4.6-1.4z",
  agent: "M8 2.5a2.7 2.7 0 1 0 .01 0M2.8 14c.3-3 2.2-4.6 5.2-4.6s4.9 1.6 5.2 4.6",
  use: "M8 2l5.2 3v6L8 14l-5.2-3V5z",
};
const ALIKE = { note: "edit", learn: "read" };

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${LINES[ALIKE[name] || name] || LINES.use} /></svg>`;
