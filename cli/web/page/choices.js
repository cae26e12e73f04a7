// Mode and model of a new message, or of a plan: what holds where nothing is chosen is said by its name.

import { html, useEffect, useState } from "/page/vendor/htm-preact.js";
import { get } from "/page/client.js";
import { w } from "/page/words.js";

// What holds in a folder
export function useDefaults(server, folder) {
  const [known, setKnown] = useState(server);
  useEffect(() => {
    let isCurrent = true;
    if (folder && folder !== known.folder) {
      get(`/api/server?folder=${encodeURIComponent(folder)}`).then((answer) => isCurrent && setKnown(answer), () => {});
    }
    return () => { isCurrent = false; };
  }, [folder]);
  return known;
}

export function Choices({ server, modes = server.modes, mode, model, setMode, setModel }) {
  // without the provider, where that is enough to tell models apart
  const shorten = (name) => (server.models.filter((each) => each.split("/").pop() === name.split("/").pop()).length > 1 ? name : name.split("/").pop());
  const draw = (key, value, set, names, own, label) => html`<label class="choice"><span>${w(key)}</span><select value=${value} onChange=${(event) => set(event.target.value)}>
    <option value="">${label(own)}</option>${names.filter((name) => name !== own).map((name) => html`<option value=${name}>${label(name)}</option>`)}</select></label>`;
  return html`${draw("mode", mode, setMode, modes, server.mode, (name) => w(`mode.${name}`))}
    ${server.models.length > 0 && draw("model", model, setModel, server.models, server.model, (name) => shorten(name) || w("model"))}`;
}
