// Asks the viewer a question with a few answers, while the page waits.
import { announce, part } from "./page.js";

let text = null;
export const isOffering = () => text !== null;
export const updateOffer = () => { const line = document.querySelector("#offer p"); if (line && text) line.textContent = text(); };

// Return the value of the chosen answer. `words` returns the question, which may change.
export function offer(words, answers) {
  const box = document.getElementById("offer");
  text = words;
  box.replaceChildren(document.createElement("p"));
  updateOffer();
  announce(words());
  part.inert = true;
  box.hidden = false;
  return new Promise((done) => {
    for (const [label, value] of answers) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
      button.onclick = () => { box.hidden = true; part.inert = false; text = null; done(value); };
      box.append(button);
    }
    box.querySelector("button").focus();
  });
}
