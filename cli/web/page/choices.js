// Mode and model of a new message, or of a plan.

import { html } from "/page/vendor/htm-preact.js";
import { w } from "/page/words.js";

export function Choices({ server, modes = server.modes, mode, model, setMode, setModel }) {
  return html`<label class="choice"><span>${w("mode")}</span><select value=${mode} onChange=${(event) => setMode(event.target.value)}>
      <option value="">${w("unchanged")}</option>${modes.map((name) => html`<option value=${name}>${w(`mode.${name}`)}</option>`)}</select></label>
    ${server.models.length > 1 && html`<label class="choice"><span>${w("model")}</span><select value=${model} onChange=${(event) => setModel(event.target.value)}>
      <option value="">${w("unchanged")}</option>${server.models.map((name) => html`<option>${name}</option>`)}</select></label>`}`;
}
