// What a page of a table does: clicks become moves, news become a changed page. No rule of any game
// is in here: a move is a text that the server wrote into the page, or a form filled in.
import { Idiomorph } from "./idiomorph.js";

const root = document.body.dataset.root;
const part = document.getElementById("part");
const table = part?.dataset.table;
const live = document.getElementById("live");
const faults = document.getElementById("faults");
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Pages on plain HTTP in a local network have no crypto.randomUUID.
function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
}

let hiding;
function complain(text, about) {
  clearTimeout(hiding);
  // It must not cover what it is about.
  faults.classList.toggle("above", (about?.getBoundingClientRect().bottom ?? 0) > innerHeight / 2);
  faults.textContent = text;
  hiding = setTimeout(() => { faults.textContent = ""; }, 8000);
}

// The answer to a request; a lost one is asked for again, with the same id.
async function send(path, body) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  for (let pause = 250; ; pause *= 2) {
    try {
      const answer = await fetch(root + path, request);
      if (![502, 503, 504].includes(answer.status)) return answer;
    } catch (error) {
      if (pause > 8000) throw error;
    }
    if (pause > 8000) throw new Error("no answer");
    complain("No answer from the server; trying again…");
    await wait(pause);
  }
}

// Why a request was refused: in a document of the requests, or on a page.
async function said(answer) {
  try {
    const text = await answer.text();
    if (answer.headers.get("Content-Type")?.startsWith("text/html")) {
      return new DOMParser().parseFromString(text, "text/html").querySelector("main p").textContent;
    }
    const body = JSON.parse(text);
    return [].concat(body.faults ?? body.error ?? body.detail).join("; ");
  } catch {
    return `The server said ${answer.status}.`;
  }
}

// ------------------------------------------------------------------ the part that changes

let fetching = false;
let again = false;

async function refresh() {
  if (!part || part.dataset.at) return;
  if (fetching) { again = true; return; }
  fetching = true;
  try {
    do {
      again = false;
      const answer = await fetch(`${root}/t/${table}/part${location.search}`, { cache: "no-store", signal: AbortSignal.timeout?.(20000) });
      if (answer.ok) show(await answer.text(), answer.headers.get("Quaternity-Version"));
      else complain(await said(answer));
    } while (again);
  } catch { /* the stream says when the server is back */ } finally { fetching = false; }
}

// What was asked for stays when the table changes.
const kept = (node) => node.id !== "help";

function show(html, version) {
  if (version !== null && Number(version) < Number(part.dataset.version)) return;
  armed = null;
  const before = lastEvent();
  const focused = part.contains(document.activeElement);
  const open = new Set(Array.from(part.querySelectorAll("details[id][open]"), (one) => one.id));
  const chosen = chosenInputs();
  // What is being typed stays; of anything else with the focus the words have to change.
  const typing = document.activeElement?.matches("input, textarea, select") ?? false;
  const how = { morphStyle: "innerHTML", ignoreActiveValue: typing, restoreFocus: true };
  Idiomorph.morph(part, html, { ...how, callbacks: { beforeNodeMorphed: kept } });
  if (helping && part.dataset.version !== version) follow();
  if (version !== null) part.dataset.version = version;
  for (const one of part.querySelectorAll("details[id]")) if (open.has(one.id)) one.open = true;
  for (const id of chosen) { const one = document.getElementById(id); if (one && !one.disabled) one.checked = true; }
  // What had the focus may be gone: who uses keys goes on from the top of the part.
  if (focused && !part.contains(document.activeElement)) part.querySelector("#headline")?.focus({ preventScroll: true });
  prepare();
  announce(before);
}

const lastEvent = () => Number(part?.querySelector(".history li")?.value ?? 0);
const chosenInputs = () => Array.from(part.querySelectorAll("input[id]:checked"), (one) => one.id);

// Of many cells one can be reached by Tab, the others from there by arrow keys.
function rove(area, current) {
  const cells = area.querySelectorAll("button.cell");
  if (cells.length < 13) return;
  const first = current ?? area.querySelector("button.cell:focus") ?? area.querySelector("button.cell:not([aria-disabled])") ?? cells[0];
  for (const one of cells) one.tabIndex = one === first ? 0 : -1;
}

function prepare() {
  for (const area of document.querySelectorAll("[data-arrows]")) rove(area);
  const drawn = part?.querySelector("[data-title]");
  if (drawn) document.title = drawn.dataset.title;
  for (const form of document.querySelectorAll("#part form")) mark(form);
}

// What is new, for who listens to the page.
function announce(before) {
  const news = [];
  for (const one of part.querySelectorAll(".history li")) {
    if (one.value <= before || news.length > 4) break;
    news.unshift(one.textContent);
  }
  const headline = part.querySelector("#headline")?.textContent ?? "";
  if (news.length || live.dataset.said !== headline) live.textContent = [...news, headline].join(". ");
  live.dataset.said = headline;
}

// ------------------------------------------------------------------ moves

let armed = null;

// A finger is wider than a cell: what it touches is asked for when it touches it again.
function isArmed(cell, event) {
  armed?.removeAttribute("aria-pressed");
  if (event.pointerType !== "touch" || armed === cell || !cell.classList.contains("cell") || cell.ariaDisabled) {
    armed = null;
    return true;
  }
  armed = cell;
  cell.setAttribute("aria-pressed", "true");
  complain(`${cell.getAttribute("aria-label")}. Touch it again to ask.`, cell);
  return false;
}

// `otherwise` is played where the move is refused: a part of it that is a whole move.
async function move(text, element, otherwise = null) {
  if (!part || part.dataset.at || element.hasAttribute("aria-busy")) return;
  element.setAttribute("aria-busy", "true");
  faults.textContent = "";
  try {
    const body = { version: Number(part.dataset.version), id: freshId(), move: text };
    // Who has several seats says from which.
    const seat = part.querySelector("[data-seat]");
    if (seat) body.seat = Number(seat.dataset.seat);
    const path = `/api/tables/${table}/moves`;
    let answer = await send(path, body);
    if (answer.status === 422 && otherwise) {
      const second = await send(path, { ...body, id: freshId(), move: otherwise });
      if (second.ok) answer = second;
    }
    if (answer.status === 409) complain(`Not played: ${await said(answer)}`);
    else if (!answer.ok) {
      complain(await said(answer));
      if (answer.status === 422 && part.querySelector("[data-help=why]")) help(`why?move=${encodeURIComponent(text)}`);
    }
    if (answer.ok || answer.status === 409) await refresh();
  } catch {
    complain("The server does not answer: the move may not have been played.");
  } finally { element.removeAttribute("aria-busy"); }
}

// The move that a text and a form stand for; null while something is not chosen. {name} is what is
// chosen under that name; data-count says how many of it are needed.
function written(text, form) {
  let whole = true;
  const move = text.replace(/\{(\w+)\}/g, (_, name) => {
    const values = new FormData(form ?? undefined).getAll(name).filter((one) => one !== "");
    if (values.length !== Number(form?.dataset.count ?? 1)) whole = false;
    return values.join(" ");
  });
  return whole ? move : null;
}

// What cannot be played yet looks so.
function mark(form) {
  for (const one of form.querySelectorAll("button")) {
    const text = one.dataset.move ?? (one.type === "submit" ? form.dataset.moveTemplate : undefined);
    if (text === undefined || !text.includes("{")) continue;
    if (written(text, form) !== null) one.removeAttribute("aria-disabled"); else one.setAttribute("aria-disabled", "true");
  }
}

const incomplete = (form) => complain(form.dataset.incomplete ?? "Something is not chosen yet.");

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-move], [data-select], [data-help], [data-close]");
  if (!link) return;
  if (link.dataset.move !== undefined) {
    const text = written(link.dataset.move, link.form);
    if (text === null) incomplete(link.form); else if (isArmed(link, event)) move(text, link, written(link.dataset.otherwise ?? "", link.form) || null);
  }
  else if (link.dataset.help !== undefined) help(link.dataset.help, true);
  else if (link.dataset.close !== undefined) closeHelp();
  else {
    link.select();
    navigator.clipboard?.writeText(link.value).then(() => complain("The link is copied."), () => {});
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (event.target.closest("[data-count-of-seats]")) showSeats(Number(event.target.value));
  if (event.target.dataset.goTo) go(event.target.dataset.goTo.replace("{n}", event.target.value));
  if (event.target.files?.length) upload(event.target.closest("[data-drop]"), event.target.files[0]);
  if (!form) return;
  mark(form);
  const template = form.dataset.moveTemplate;
  if (form.dataset.auto !== undefined && template && written(template, form) !== null) form.requestSubmit();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.moveTemplate !== undefined) {
    event.preventDefault();
    const text = written(form.dataset.moveTemplate, form);
    if (text === null) incomplete(form);
    else move(text, form).then(() => { if (form.isConnected) { form.reset(); mark(form); } });
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

// A form that is a request: its fields by name ("settings.players" is one within another, "seats[]"
// a list), the version of the table added.
async function ask(form) {
  const body = part ? { version: Number(part.dataset.version) } : {};
  for (const one of form.elements) {
    if (!one.name || one.disabled || one.closest("[hidden]")) continue;
    if (one.type === "radio" && !one.checked) continue;
    const text = one.dataset.json === undefined ? one.value : JSON.parse(one.value);
    const value = one.type === "checkbox" ? one.checked : text;
    const [outer, inner] = one.name.split(".");
    if (outer.endsWith("[]")) (body[outer.slice(0, -2)] ??= []).push(value);
    else if (inner) (body[outer] ??= {})[inner] = value;
    else body[outer] = value;
  }
  if (typeof body.name === "string") remember("name", body.name.trim());
  try {
    const answer = await send(form.dataset.api, body);
    if (answer.status === 409 && !part) location.reload(); // a seat that is taken, perhaps by us
    if (!answer.ok) { complain(await said(answer)); if (part) await refresh(); return; }
    const told = await answer.json();
    if (form.dataset.then !== undefined) location.href = `${root}/t/${told.table}`;
    else await refresh();
  } catch {
    complain("The server does not answer. Try again.");
  }
}

// ------------------------------------------------------------------ keys

// In [data-arrows] the arrow keys go to what stands next in that direction.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (event) => {
  const [x, y] = ARROWS[event.key] ?? [];
  const area = event.target.closest?.("[data-arrows]");
  if (x === undefined || !area || event.ctrlKey || event.altKey || event.metaKey) return;
  const from = event.target.getBoundingClientRect();
  let best = null;
  let least = Infinity;
  for (const one of area.querySelectorAll("button, input, a[href]")) {
    const to = one.getBoundingClientRect();
    const across = to.left + to.width / 2 - from.left - from.width / 2;
    const down = to.top + to.height / 2 - from.top - from.height / 2;
    const ahead = across * x + down * y;
    const aside = Math.abs(across * y) + Math.abs(down * x);
    if (ahead > 4 && aside < 3 * ahead && ahead + 3 * aside < least) { least = ahead + 3 * aside; best = one; }
  }
  if (best) { event.preventDefault(); rove(area, best); best.focus(); }
});

// ------------------------------------------------------------------ watching

let going = null;

// To another moment of a game, or another seat, without leaving the page; only the last wish counts.
async function go(path) {
  going = path;
  try {
    const answer = await fetch(path, { cache: "no-store" });
    if (going !== path) return;
    if (!answer.ok) { complain(await said(answer)); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    show(page.getElementById("part").innerHTML, null);
    history.replaceState(null, "", path);
  } catch { complain("The server does not answer."); }
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, [data-arrows]") || event.ctrlKey || event.altKey || event.metaKey) return;
  const link = part?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (link) { event.preventDefault(); go(link.href); }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-go]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href);
});

// ------------------------------------------------------------------ files

async function upload(place, file) {
  if (!place || !file) return;
  try {
    const path = place.dataset.drop;
    const answer = await fetch(root + path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
    if (place.dataset.result && [200, 422].includes(answer.status)) {
      const result = document.getElementById(place.dataset.result);
      Idiomorph.morph(result, await answer.text(), { morphStyle: "innerHTML" });
      result.scrollIntoView({ block: "nearest" });
      live.textContent = result.textContent.trim().slice(0, 300);
    } else if (!answer.ok) complain(await said(answer));
    else location.href = `${root}/t/${(await answer.json()).table}/at/0`;
  } catch { complain("The server does not answer."); }
}

for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = event.target.closest?.("[data-drop]");
    if (!place) return;
    event.preventDefault();
    if (kind === "drop") upload(place, event.dataTransfer.files[0]);
  });
}

function showSeats(count) {
  for (const row of document.querySelectorAll("[data-seat-row]")) row.hidden = Number(row.dataset.seatRow) >= count;
}

// ------------------------------------------------------------------ help

let helping = null;

// What still fits the table is asked for again, what was said of an earlier moment goes.
function follow() {
  if (/^(chances|questions|know|analysis)/.test(helping)) help(helping); else closeHelp();
}

async function help(what, wanted = false) {
  const panel = document.getElementById("help");
  helping = what;
  panel.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${root}/t/${table}/help/${what}`, { cache: "no-store" });
    if (helping !== what) return;
    const html = answer.ok ? await answer.text() : null;
    if (html === null) complain(await said(answer));
    else Idiomorph.morph(panel, html, { morphStyle: "innerHTML", restoreFocus: true });
    panel.hidden = html === null && !panel.childElementCount;
    if (wanted && html !== null) {
      panel.scrollIntoView({ block: "nearest" });
      live.textContent = `${panel.querySelector("h2").textContent}. ${panel.querySelector("p")?.textContent ?? ""}`;
    }
  } catch { complain("The server does not answer."); }
  panel.removeAttribute("aria-busy");
}

function closeHelp() {
  helping = null;
  document.getElementById("help").hidden = true;
}

// ------------------------------------------------------------------ what this browser remembers

function remember(key, value) {
  try { localStorage.setItem(`quaternity-${key}`, JSON.stringify(value)); } catch { /* not allowed here */ }
}

function remembered(key, otherwise) {
  try { return JSON.parse(localStorage.getItem(`quaternity-${key}`)) ?? otherwise; } catch { return otherwise; }
}

// What was filled in is there again after a step back in the history.
addEventListener("pageshow", () => {
  const count = document.querySelector("[data-count-of-seats] input");
  if (count) showSeats(Number(count.value));
});

for (const one of document.querySelectorAll("input[name=name]")) one.value ||= remembered("name", "");

// ------------------------------------------------------------------ news

// One stream for all tabs of this browser where there are shared workers, else one of this tab's own
// while it can be seen: a browser has six connections to a server.
function listen() {
  const path = `${root}/api/tables/${table}/events`;
  try {
    const worker = new SharedWorker(document.body.dataset.stream, { type: "module", name: "quaternity" });
    const tell = (what) => worker.port.postMessage({ what, path });
    worker.onerror = () => listenAlone(path);
    worker.port.onmessage = ({ data }) => { if (data.path === path) heard(data); };
    tell("open");
    addEventListener("pageshow", (event) => { if (event.persisted) tell("open"); });
    addEventListener("pagehide", () => tell("close"));
    addEventListener("visibilitychange", () => { if (!document.hidden) { tell("seen"); refresh(); } });
  } catch {
    listenAlone(path);
  }
}

async function listenAlone(path) {
  const { Stream } = await import("./stream-worker.js");
  const stream = new Stream(path, heard);
  if (!document.hidden) stream.open();
  addEventListener("visibilitychange", () => {
    if (document.hidden) stream.close(); else { stream.open(); refresh(); }
  });
}

let lost = false;

function heard({ kind, data }) {
  if (kind === "lost") { lost = true; document.body.classList.add("lost"); return; }
  if (kind === "open") {
    document.body.classList.remove("lost");
    if (lost) refresh();
    lost = false;
    return;
  }
  // What this page shows already is no news to it.
  const version = data && JSON.parse(data).version;
  if (version === undefined || version > Number(part.dataset.version)) refresh();
}

if (part) {
  prepare();
  live.dataset.said = part.querySelector("#headline")?.textContent ?? "";
  if (!part.dataset.at) listen();
}
