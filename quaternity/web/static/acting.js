// Turns clicks and forms into moves and other requests. It contains no rules of games: the text of
// a move is written into the page by the server, or completed by a form.
import { closeHelp, help } from "./helping.js";
import { complain, drawn, faults, freshId, part, remember, root, said, send, shownVersion, table, whenDrawn, word } from "./page.js";
import { refresh, showOwn } from "./queue.js";
import { go } from "./watching.js";
import { upload } from "./files.js";

let armed = null;
whenDrawn(() => { armed = null; });

// A finger is wider than a cell, so the first touch only selects the cell, and a second touch asks.
function isArmed(cell, event) {
  armed?.removeAttribute("aria-pressed");
  if (event.pointerType !== "touch" || armed === cell || !cell.classList.contains("cell") || cell.ariaDisabled) {
    armed = null;
    return true;
  }
  armed = cell;
  cell.setAttribute("aria-pressed", "true");
  complain(`${cell.getAttribute("aria-label")}. ${word("Tap it again to ask.")}`, cell);
  return false;
}

// Ignore a click if the page changed its target between the press and the release of the pointer.
const pressed = (event) => {
  const one = event.target.closest("label, button, a, summary, [data-move]");
  if (!one) return null;
  // Compare what the click would do. Other changes of the target, such as the owners of a card, are
  // allowed.
  const { api } = { ...one.form?.dataset };
  const asks = api && [api, new URLSearchParams(new FormData(one.form)), one.textContent].join();
  const to = one.dataset.answer && part.dataset.version;
  return { one, id: one.id, does: [one.dataset.move, asks, to].join() };
};
let held = null;
document.addEventListener("pointerdown", (event) => {
  if (event.isPrimary) held = { was: pressed(event), drawn: drawn.times };
}, true);
document.addEventListener("pointercancel", (event) => { if (event.isPrimary) held = null; }, true); // the user is scrolling
document.addEventListener("click", (event) => {
  const [now, is] = [held, pressed(event)];
  held = null;
  if (!event.detail || !now || now.drawn === drawn.times || !is) return; // by keyboard, or the page did not change
  const { was } = now;
  if (was?.id === is.id && was.does === is.does && (is.id || was.one === is.one)) return;
  event.preventDefault();
  event.stopPropagation();
  complain("The page changed just as you tapped, so nothing was done.", event.target);
}, true);

// Elements whose move or form is being sent. They are kept here, because redrawing the page would
// remove an attribute.
let busy = new WeakSet();
addEventListener("pageshow", (event) => { if (event.persisted) busy = new WeakSet(); });

// Store a move until it is answered, so that the page can send it again after a reload.
const KEPT = `quaternity-move-${table}`;
const keep = (body) => { try { sessionStorage.setItem(KEPT, JSON.stringify(body)); } catch { /* not allowed here */ } };
let lost = false; // whether a move was sent without an answer

// Send a move, and return whether it was sent.
export async function move(text, element) {
  if (!part || part.dataset.at || busy.has(element)) return false;
  if (lost) { complain("The server has not answered your last move: sending it again."); return false; }
  busy.add(element);
  element.setAttribute("aria-busy", "true");
  faults.textContent = "";
  const body = { version: Number(part.dataset.version), id: freshId(), move: text };
  // A player with several seats must name the seat.
  const seat = part.querySelector(".table[data-seat]");
  if (seat) body.seat = Number(seat.dataset.seat);
  try { await deliver(body); } finally {
    busy.delete(element);
    element.removeAttribute("aria-busy");
  }
  return true;
}

// Send a move until it is answered. The id of the move makes sure that it is played only once.
async function deliver(body) {
  keep(body);
  const answer = await send(`/api/tables/${table}/moves`, body, () => { lost = true; });
  keep(null);
  const stays = lost ? 60000 : undefined; // show the message longer to a player who has waited
  if (lost) faults.textContent = "";
  lost = false;
  if (answer.status === 409) complain(`${word("Not played:")} ${await said(answer)}`, null, stays);
  else if (!answer.ok) {
    complain(await said(answer), null, stays);
    if (answer.status === 422 && part.querySelector("[data-help=why]") && !part.querySelector("[data-answer]")) help(`why?move=${encodeURIComponent(body.move)}`);
  }
  if (answer.ok) {
    const { version } = await answer.json().catch(() => ({})); // the connection may break now
    await (version === undefined ? refresh() : showOwn(version));
  } else if (answer.status === 409) await refresh();
}

if (part && !part.dataset.at) {
  let body = null;
  try { body = JSON.parse(sessionStorage.getItem(KEPT)); } catch { /* not allowed here */ }
  if (body) { lost = true; deliver(body); }
}

// Fill the choices of a form into the template of a move, or return null while a choice is missing.
// {name} stands for the chosen values of that name, and data-count is the number of values needed.
function written(text, form) {
  let whole = true;
  const move = text.replace(/\{(\w+)\}/g, (_, name) => {
    const values = new FormData(form ?? undefined).getAll(name).filter((one) => one !== "");
    if (values.length !== Number(form?.dataset.count ?? 1)) whole = false;
    return values.join(" ");
  });
  return whole ? move : null;
}

// Disable the buttons of moves that are not complete yet.
function mark(form) {
  for (const one of form.querySelectorAll("button")) {
    const text = one.dataset.move ?? (one.type === "submit" ? form.dataset.moveTemplate : undefined);
    if (text === undefined || !text.includes("{")) continue;
    if (written(text, form) !== null) one.removeAttribute("aria-disabled"); else one.setAttribute("aria-disabled", "true");
  }
}

whenDrawn(() => { for (const form of document.querySelectorAll("#part form")) mark(form); });

const incomplete = (form) => complain(form.dataset.incomplete ?? "Your choice is not complete yet.");

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-move], [data-help], [data-close]");
  if (!link) return;
  if (link.dataset.move !== undefined) {
    const text = written(link.dataset.move, link.form);
    if (text === null) incomplete(link.form); else if (isArmed(link, event)) move(text, link);
  }
  else if (link.dataset.help !== undefined) help(link.dataset.help, true);
  else closeHelp();
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (event.target.closest("[data-count-of-seats]")) showSeats(Number(event.target.value));
  if (event.target.dataset.goTo) go(event.target.dataset.goTo.replace("{n}", event.target.value));
  if (event.target.files?.length) upload(event.target.closest("[data-drop]"), event.target.files[0]);
  if (!form) return;
  mark(form);
  const template = form.dataset.moveTemplate;
  if (form.dataset.auto !== undefined && template && written(template, form) !== null) setTimeout(() => form.requestSubmit()); // after the choice is shown
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.moveTemplate !== undefined) {
    event.preventDefault();
    const text = written(form.dataset.moveTemplate, form);
    if (text === null) incomplete(form);
    else move(text, form).then((sent) => { if (sent && form.isConnected) { form.reset(); mark(form); } });
  } else if (form.dataset.api !== undefined) {
    event.preventDefault();
    ask(form);
  } else if (form.dataset.helpForm !== undefined) {
    event.preventDefault();
    help(`${form.dataset.helpForm}?${new URLSearchParams(new FormData(form, event.submitter))}`, true);
  } else if (form.dataset.paste !== undefined) {
    event.preventDefault();
    upload({ dataset: { drop: form.dataset.paste, result: form.dataset.result } }, new FormData(form).get("text"));
  }
});

// Send a form as a JSON request, with the version of the table if the form has data-version.
async function ask(form) {
  if (busy.has(form)) return;
  const body = form.dataset.version === undefined ? {} : { version: shownVersion() };
  for (const one of form.elements) {
    if (one.name) body[one.name] = one.dataset.json === undefined ? one.value : JSON.parse(one.value);
  }
  if (form.elements.name?.type === "text") remember("name", body.name.trim());
  busy.add(form);
  let answer, told;
  try {
    answer = await send(form.dataset.api, body);
    if (answer.ok) told = await answer.json();
  } catch {
    complain("The server does not answer. Try again.");
    return;
  } finally {
    // A form that leads to another page stays busy until the browser leaves this page.
    if (!told || form.dataset.then === undefined) busy.delete(form);
  }
  if (answer.status === 409 && !part) location.reload(); // the seat is taken, perhaps by this player
  if (!told) { complain(await said(answer)); if (part) await refresh(); }
  else if (form.dataset.out) showMade(document.getElementById(form.dataset.out), told);
  else if (form.dataset.then !== undefined) location.href = `${root}/t/${told.table}`;
  else { form.reset(); await refresh(); }
}

// Show a link with its QR code, or a code.
function showMade(place, { link, qr, code }) {
  const text = Object.assign(document.createElement("input"), { readOnly: true, value: link ?? code });
  text.dataset.select = "";
  text.setAttribute("aria-label", word(link ? "The link" : "The code"));
  place.replaceChildren(text);
  if (!qr) return;
  const picture = Object.assign(document.createElement("div"), { className: "qr" });
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", word("The link as a QR code"));
  picture.append(new DOMParser().parseFromString(qr, "image/svg+xml").documentElement);
  place.append(picture);
}

export function showSeats(count) {
  for (const row of document.querySelectorAll("[data-seat-row]")) row.hidden = Number(row.dataset.seatRow) >= count;
}
