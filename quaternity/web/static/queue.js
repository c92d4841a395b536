// Shows the changes of a table one after another. Each change is a moment: the board before it, the
// announcement and the scenes, and the board after it. No part of the page is ever ahead of the
// last announcement.
import { isOffering, offer, updateOffer } from "./offers.js";
import { announce, complain, isAway, isCutOff, part, remember, remembered, root, said, setLost, shownVersion, table, wait, word } from "./page.js";
import { playMoment, readMoment, skipMoment } from "./moments.js";
import { tellOutside } from "./outside.js";
import { readingTime, sceneLength } from "./pacing.js";
import { prepare, reveal, show } from "./showing.js";

const MAX_REPLAYED = 10; // A viewer who returns after more moves chooses whether to watch them.
const MAX_REMEMBERED = 50; // maximum number of tables whose version is stored
const MAX_RETRIES = 6;

let latest = 0; // the newest version that the server has reported
let stale = false; // whether the shown version must be drawn again
let returned = false; // whether the viewer was away
let watching = false; // whether the viewer has chosen to watch the moves
let own = 0; // the version after the player's last move
let playing = 0; // the version whose moment was played last, or is being played
let hurrying = false; // whether moments are shown at once until none is left
let running = null;
let ahead = null; // the next part of the page, requested in advance
let waiting = []; // callbacks, each with the version that must be shown first
let again;

const seen = () => remembered("seen", {});
const isGone = (answer) => answer.status === 404 && !isAway(answer); // the table was deleted

// Show what has happened. The promise is fulfilled when the page shows at least the given version.
export function refresh(version = 0) {
  if (!part || part.dataset.at) return Promise.resolve();
  latest = Math.max(latest, version);
  stale ||= !version;
  updateOffer();
  if (document.hidden && isOffering()) lookAhead();
  if (!running) clearTimeout(again); // a run that fails sets it
  running ??= run().finally(() => { running = null; });
  return version ? Promise.race([running, shows(version)]) : running;
}

const shows = (version) => (shownVersion() >= version ? Promise.resolve() : new Promise((done) => { waiting.push([version, done]); }));

// Whether the page shows an earlier position than the present one.
export const isBehind = () => shownVersion() < latest;

// Return a promise that is fulfilled when the page shows everything that has been reported so far.
export const caughtUp = () => (isBehind() ? shows(latest) : Promise.resolve());

// Show the player's own move at once, after the moves before it. Its moment may have begun already.
export function showOwn(version) {
  [returned, own] = [false, version];
  if (Math.max(playing, shownVersion()) < version) {
    hurrying = true;
    countBehind();
    skipMoment();
  }
  return refresh(version);
}

// Note that the viewer was away, and may want to choose whether to watch what has happened.
export function comeBack() {
  returned = true;
  return refresh();
}

// Begin with the version that this viewer has seen last. Until then, nothing else is shown.
export async function start() {
  returned = true;
  tellOutside(part);
  running = open().finally(() => { running = null; });
  await running;
  if (stale || isBehind()) refresh(latest);
}

async function open() {
  latest = shownVersion();
  await wait(0); // let the browser answer between loading the scripts and completing the page
  const version = seen()[table];
  const next = version < latest && await request(version);
  if (next && next.version <= shownVersion()) draw(next); else prepare();
  await reveal();
  note();
}

// Request the part of the page for a version. If moves were taken back, the answer is a later one.
async function request(version) {
  const query = new URLSearchParams(location.search);
  if (version !== null) query.set("at", version);
  try {
    const answer = await fetch(`${root}/t/${table}/part?${query}`, { cache: "no-store", signal: AbortSignal.timeout?.(20000) });
    setLost("part", isCutOff(answer) && !isOffering()); // during an offer, nothing is requested again
    if (!answer.ok) {
      if (answer.status === 429 || isAway(answer)) later();
      else if (isGone(answer) && isGone(await fetch(location.href))) location.reload();
      complain(await said(answer));
      return null;
    }
    latest = Math.max(latest, Number(answer.headers.get("Quaternity-Latest")));
    const html = await answer.text();
    const { body } = new DOMParser().parseFromString(html, "text/html");
    await wait(0); // let the browser answer taps before the page changes
    return { html, body, version: Number(answer.headers.get("Quaternity-Version")) };
  } catch {
    setLost("part", !isOffering());
    later(); // the stream may report earlier that the server is back
    return null;
  }
}

const later = () => { clearTimeout(again); again = setTimeout(refresh, 3000); };

// Request the next part again if it is too old: with several server processes, another process than
// the reporting one may answer, and learn about the version later.
async function take(version) {
  for (let retries = 0; retries < MAX_RETRIES; retries += 1) {
    const next = await (ahead?.version === version ? ahead.answer : request(version));
    ahead = null;
    if (!next || next.version >= version) return next;
    await wait(20 << retries);
  }
  later();
  return null;
}

async function run() {
  for (let old = 0; stale || isBehind();) {
    if (document.hidden) {
      const told = await lookAhead();
      if (document.hidden && (told === undefined || (!stale && !(told < latest)))) return;
      if ((old += 1) > MAX_RETRIES) return later();
      await wait(10 << old); // the answer may be older than the last event
      continue;
    }
    if (stale) {
      stale = false;
      const same = await take(shownVersion());
      if (!same) return;
      if (same.version > shownVersion()) await pass(same); else draw(same);
      continue;
    }
    const missed = latest - shownVersion();
    if (returned && missed > MAX_REPLAYED && !await choose()) {
      const present = await request(null);
      if (!present) return;
      returned = false;
      await pass(present, 0);
      continue;
    }
    [returned, watching] = [false, watching || (returned && missed > MAX_REPLAYED)];
    const next = await take(shownVersion() + 1);
    if (!next) return;
    await pass(next);
    await wait(0); // let the browser show the board before the next moment begins
  }
  [returned, watching, hurrying] = [false, false, false];
  countBehind();
}

// Play the moment that leads to a version, and show the version.
async function pass(next, length = hurrying && next.version !== own ? 0 : sceneLength()) {
  playing = next.version;
  if (playing === own) hurrying = false;
  const moment = readMoment(next.body);
  const first = part.querySelector(`.mine[data-seat="${moment.seat}"]`) !== null;
  if (next.version < latest) ahead = { version: next.version + 1, answer: request(next.version + 1) };
  countBehind(first ? latest : next.version);
  for (const text of moment.texts) announce(text, next.version);
  try {
    await playMoment(moment, () => draw(next), { length, first, pause: watching && !hurrying ? readingTime(moment.texts.join("; ")) : 0 });
  } catch (fault) {
    console.error(fault); // a fault of an animation does not stop the game
  } finally {
    if (shownVersion() < next.version) draw(next);
  }
}

function draw({ html, body, version: shown }) {
  if (shown < latest) keepNewer(body);
  show(html, shown, body);
  note();
  if (!isBehind()) tellOutside(part);
  waiting = waiting.filter(([version, done]) => shown < version || done());
}

// Chat lines and results of the series have no version: leave them as they are until the page has
// caught up.
function keepNewer(body) {
  for (const what of [".lines", ".evening"]) {
    const [now, next] = [part.querySelector(what), body.querySelector(what)];
    if (now && next) next.innerHTML = now.innerHTML;
  }
}

// Tell the player of a hidden page about the present position, and show the moves later. Return the
// version of this position, or undefined without an answer.
async function lookAhead() {
  stale = false;
  const present = await request(null);
  if (present) tellOutside(present.body);
  return present?.version;
}

// Store the version that is shown.
function note() {
  const others = Object.entries(seen()).filter(([name]) => name !== table).slice(1 - MAX_REMEMBERED);
  remember("seen", { ...Object.fromEntries(others), [table]: shownVersion() });
}

// Let a viewer who was away choose: true to watch the moves, false to go to the present position.
const choose = () => offer(() => `${latest - shownVersion()} ${word("moves since you left")}`, [[word("Watch them"), true], [word("Go to the current position"), false]]);

function countBehind(version = latest) {
  const [behind, count] = [document.getElementById("behind"), latest - version];
  if (behind) behind.textContent = count > 0 && (sceneLength() || watching) ? `${count} ${word("more")} ⏭` : "";
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-skip]")) hurrying = isBehind();
  if (target.closest("#part")) skipMoment();
});
