// Functions for all scripts of a page: its elements, requests to the server, messages and stored
// choices.
export const root = document.body.dataset.root;
export const part = document.getElementById("part");
export const table = part?.dataset.table;
export const live = document.getElementById("live");
export const faults = document.getElementById("faults");
export const drawn = { times: 0 }; // the number of updates of the page
export const shownVersion = () => Number(part.dataset.version);
export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Return a random id. Pages on plain HTTP in a local network have no crypto.randomUUID.
export const freshId = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

// Return a text of the scripts in the language of the page.
const words = JSON.parse(document.body.dataset.words ?? "{}");
export const word = (text) => words[text] ?? text;

// Functions that complete the page after each update, in the order of their registration.
const completions = [];
export const whenDrawn = (complete) => completions.push(complete);
export const completePage = () => completions.forEach((complete) => complete());

// Focus an element, or the headline if the element is gone or hidden.
export function focusOn(element) {
  element?.focus({ preventScroll: true });
  if (document.activeElement !== element) document.getElementById("headline")?.focus({ preventScroll: true });
}

// Announce a text to screen readers. Earlier announcements stay for a while, so that none is lost.
export function announce(text, version) {
  const line = Object.assign(document.createElement("p"), { textContent: text });
  if (version !== undefined) line.dataset.version = version;
  live.append(line);
  while (live.childElementCount > 30) live.firstChild.remove();
}

let hiding;
export function complain(text, about, length = 8000) {
  clearTimeout(hiding);
  // The message must not cover the element that it is about.
  faults.classList.toggle("above", (about?.getBoundingClientRect().bottom ?? 0) > innerHeight / 2);
  faults.textContent = word(text);
  hiding = setTimeout(() => { faults.textContent = ""; }, length);
}

// Whether a proxy answers because the server is away, as while it is replaced by another version.
export const isAway = ({ status, headers }) => [502, 503, 504].includes(status) || (status === 404 && !headers.has("Quaternity-Server"));
export const isCutOff = (answer) => isAway(answer) && !answer.headers.has("Quaternity-Server"); // no word from the server itself

// Show whether the stream or the requests of a path get no answer. Return whether this was so before.
const lost = new Set();
export function setLost(what, isLost) {
  const [before, others] = [lost.delete(what), lost.size];
  if (isLost && lost.add(what) && !before && !others) announce(document.body.dataset.lost);
  document.body.classList.toggle("lost", lost.size > 0);
  return before;
}

// Send a request and return the answer. Without an answer, send the request again up to six times,
// or for ever if there is a callback `failed`, which is called before each pause.
export async function send(path, body, failed) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  for (let pause = 250; ; pause *= 2) {
    const last = !failed && pause > 8000;
    let answer;
    try {
      // Give up after a time limit, because a server may accept the connection but not answer.
      answer = await fetch(root + path, failed ? { ...request, signal: AbortSignal.timeout?.(10000) } : request);
      if (!isAway(answer) || last) { setLost(path, false); return answer; }
      if (answer.headers.get("Content-Type")?.startsWith("application/json")) complain(`${await said(answer)} …`);
    } catch (error) {
      if (last) { setLost(path, false); throw error; }
    }
    setLost(path, !answer || isCutOff(answer));
    failed?.();
    await wait(failed ? Math.min(pause, 4000) : pause);
  }
}

// Return the reason for a refusal, which the response contains as JSON or as a page.
export async function said(answer) {
  try {
    const text = await answer.text();
    if (answer.headers.get("Content-Type")?.startsWith("text/html")) {
      return new DOMParser().parseFromString(text, "text/html").querySelector("main p").textContent;
    }
    const body = JSON.parse(text);
    return [].concat(body.words ?? body.faults ?? body.error ?? body.detail).join("; ");
  } catch {
    return `The server answered with status ${answer.status}.`;
  }
}

export function remember(key, value) {
  try { localStorage.setItem(`quaternity-${key}`, JSON.stringify(value)); } catch { /* not allowed here */ }
}

export function remembered(key, otherwise) {
  try { return JSON.parse(localStorage.getItem(`quaternity-${key}`)) ?? otherwise; } catch { return otherwise; }
}

// Read or store a preference of the user as plain text. A browser may forbid storage.
export function liked(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

export function like(key, value) {
  try { localStorage.setItem(key, value); } catch { /* not allowed here */ }
}
