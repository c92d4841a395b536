// Lets the player choose a card and then the player to ask for it. The tile of a card contains the
// allowed questions.
import { Idiomorph } from "./idiomorph.js";
import { part, root, table, whenDrawn, word } from "./page.js";
import { caughtUp } from "./queue.js";

const MARKS = "●■▲◆▼★✚⬢";
let chosen = null; // the chosen card, as SET/NUMBER
let chances = { version: null };

const card = () => chosen && part.querySelector(`[data-card="${chosen}"][data-asks]`);
const name = (seat) => part.querySelector(`#seat${seat} .who b`)?.textContent ?? seat;
// Return the number of a seat, which is shown if two players have the same name.
const apart = (seat) => part.querySelector(`#seat${seat} .who small:not(.unseen)`)?.textContent ?? "";

function element(kind, text, attributes) {
  const made = document.createElement(kind);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Return the chances of all owners in the present position if help is allowed, or null.
async function likely() {
  if (!part.querySelector('[data-help="chances"]')) return null;
  await caughtUp();
  const version = part.dataset.version;
  if (chances.version !== version) {
    chances = { version };
    const answer = await fetch(`${root}/api/tables/${table}/help/chances`, { cache: "no-store" });
    if (answer.ok) chances.found = (await answer.json()).chances;
  }
  return chances.version === part.dataset.version ? chances.found : null;
}

// Return a probability as a whole percentage. The rule is that of `percent` in languages.py.
export function percent(share) {
  let whole = Math.round(100 * share);
  if (100 * share % 1 === 0.5) whole -= whole % 2;
  if (share > 0 && share < 1) whole = Math.min(Math.max(whole, 1), 99);
  const text = (whole / 100).toLocaleString(document.documentElement.lang, { style: "percent" });
  if (share <= 0 || share >= 1 || (share >= 0.01 && share <= 0.99)) return text;
  return word(share < 0.01 ? "under {share}" : "over {share}").replace("{share}", text);
}

function person([seat, note, move = `${seat} ${chosen.replace("/", " ")}`]) {
  const made = element("button", "", {
    type: "button", class: `person ink${seat % 8}`, "data-move": move, "data-ask": seat, "data-act": "",
  });
  const who = element("span", "", {});
  who.append(element("b", `${MARKS[seat % 8]} ${name(seat)}`, {}), " ", apart(seat));
  made.append(who, element("small", note, { "data-note": note }));
  return made;
}

function refused(seat, why) {
  const made = element("span", `${MARKS[seat % 8]} ${[name(seat), apart(seat)].join(" ").trim()}: ${why}`, { class: "off" });
  const [set, number] = chosen.split("/");
  if (part.querySelector('.helps [data-help="why"]')) {
    made.append(element("button", word("Why?"), { type: "button", class: "small", "data-help": `why?move=${seat} ${set} ${number}` }));
  }
  return made;
}

// Keep buttons that stay the same, so that a tap that has begun on such a button is not lost.
function draw(panel, ...parts) {
  const drawn = element("div", "", {});
  drawn.append(...parts);
  Idiomorph.morph(panel, drawn.childNodes, { morphStyle: "innerHTML", restoreFocus: true });
}

// Draw the panel after every change of the page, and when a card is chosen.
function drawAsking() {
  const panel = part?.querySelector("#ask");
  const tile = card();
  for (const other of part?.querySelectorAll('[data-asks][aria-pressed="true"]') ?? []) {
    if (other !== tile) other.setAttribute("aria-pressed", "false");
  }
  if (!panel) { chosen = null; return; }
  if (!tile) {
    chosen = null;
    draw(panel, ...panel.dataset.hint ? [element("p", panel.dataset.hint, {})] : []);
    return;
  }
  tile.setAttribute("aria-pressed", "true");
  const [asks, off] = [JSON.parse(tile.dataset.asks), JSON.parse(tile.dataset.refused)];
  // Show a reason that applies to everybody only once.
  if (!asks.length && off.length === 1) {
    draw(panel, element("p", `${tile.dataset.name}: ${off[0][1]}. ${word("Tap another card.")}`, { class: "question" }));
    return;
  }
  const people = element("div", "", { class: asks.length > 4 ? "persons many" : "persons", "data-arrows": "" });
  people.append(...asks.map(person));
  const helps = asks.length ? offeredHelp() : [];
  draw(panel, element("p", `${tile.dataset.name}: ${asks.length ? panel.dataset.question ?? word("who do you ask?") : word("you cannot ask anybody for it.")}`, { class: "question" }), people, ...off.flatMap(([seats, why]) => seats.map((seat) => refused(seat, why))), ...helps);
}

// Return the buttons for help about the chosen card, if the table allows help.
function offeredHelp() {
  const buttons = [["Who can have it?", { "data-odds": "" }], ["Why?", { "data-help": `why?card=${chosen}` }]];
  if (part.querySelector('.helps [data-help="questions"]')) buttons.push(["Best questions", { "data-help": "questions" }]);
  return part.querySelector('.helps [data-help="chances"]') ? buttons.map(([text, what]) => element("button", word(text), { type: "button", class: "small", ...what })) : [];
}

// Show the chances of the players, which the user has requested.
function showOdds(panel) {
  likely().then((found) => {
    const [set, number] = (chosen ?? "").split("/");
    for (const button of found && chosen ? panel.querySelectorAll("[data-ask]") : []) {
      const share = found[set]?.[number]?.[button.dataset.ask];
      const note = button.querySelector("small");
      if (share !== null && share !== undefined && !note.dataset.note) note.textContent = `${word("yes")}: ${percent(share)}`;
    }
  }).catch(() => {});
}

// The chosen card takes the place of the advice.
function updateAsking() {
  drawAsking();
  part?.classList.toggle("asking", part.querySelector("#ask .person") !== null);
}

whenDrawn(updateAsking);

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-odds]")) showOdds(part.querySelector("#ask"));
  if (event.target.closest("#ask [data-move]")) {
    card()?.focus({ preventScroll: true }); // the button disappears
    chosen = null;
  }
  const tile = event.target.closest("[data-asks]");
  if (!tile || !part.querySelector("#ask")) return;
  chosen = tile.dataset.card === chosen ? null : tile.dataset.card;
  updateAsking();
  if (event.detail === 0) part.querySelector("#ask [data-ask]")?.focus(); // by keyboard
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !event.target.closest("#ask")) return;
  const tile = card();
  chosen = null;
  updateAsking();
  tile?.focus();
});
