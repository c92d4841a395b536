// Shows events one after another, in order, without repeating or omitting any. The board always shows
// the current position.
import { liked, part, root, table, wait, word } from "./page.js";
import { tellOutside } from "./outside.js";
import { play } from "./sound.js";
import { travel } from "./travel.js";

export const PACES = { slow: 1800, normal: 900, fast: 350, once: 0 };

export function pace() {
  const name = liked("pace");
  return name in PACES ? name : "normal";
}

const SEEN = `quaternity-seen-${table}`;
const queue = [];
let known = []; // the events of the page at the last update
let last = 0; // the number of the last queued event
let what = ""; // the id of this event, which changes when a question is answered
let playing = false;
let skip = () => {};
let skipping = false;

const eventsIn = (node) => Array.from(node.querySelectorAll("li"), (item) => ({ number: item.value, text: item.textContent, ...item.dataset }));
const asked = (event) => event.what.split(":")[0]; // the id without the answer
const events = () => { const list = part.querySelector(".history ol"); return list ? eventsIn(list).reverse() : []; };

// After a reload, continue with the events that the page had not shown yet.
export function startNews() {
  known = events();
  const latest = known.at(-1)?.number ?? 0;
  let stored = latest;
  try { stored = Number(sessionStorage.getItem(SEEN) ?? latest); } catch { /* not allowed here */ }
  last = Math.min(stored, latest);
  const shown = known.find(({ number }) => number === last);
  what = shown?.what ?? "";
  if (shown) queue.push({ number: last, text: shown.text, what }); // show the last event again, because the reload may have hidden it too early
  takeNews();
}

let taking = Promise.resolve();
export function takeNews() {
  taking = taking.then(take);
}

async function take() {
  if (part.dataset.at) return;
  // The page may change while older events are fetched. The next call then handles newer events.
  const all = events();
  takeBack(all);
  yours();
  const older = await eventsBefore(all[0]?.number ?? 1);
  if (!older) return;
  for (const event of [...older, ...all]) {
    if (event.number > last || (event.number === last && event.what !== what)) {
      queue.push(event);
      last = event.number;
      what = event.what;
    }
  }
  known = all;
  callAnew(all);
  count();
  if (!playing) run();
}

// Update the texts of events, because players may have changed their names.
function callAnew(all) {
  const texts = new Map(all.map(({ number, what, text }) => [`${number} ${what}`, text]));
  for (const event of queue) event.text = texts.get(`${event.number} ${event.what}`) ?? event.text;
  const news = document.getElementById("news");
  const text = news && texts.get(`${news.dataset.event} ${news.dataset.what}`);
  if (text && text !== news.textContent) news.textContent = text;
}

// Drop the events that were taken back since the last update, even if new events have come.
function takeBack(all) {
  const first = all[0]?.number ?? 1;
  const now = new Map(all.map((event) => [event.number, asked(event)]));
  const stays = (event) => event.number < first || now.get(event.number) === asked(event);
  while (known.length && !stays(known.at(-1))) known.pop();
  const kept = known.at(-1)?.number ?? first - 1;
  if (kept >= last) return;
  last = kept;
  what = known.at(-1)?.what ?? "";
  queue.splice(0, queue.length, ...queue.filter(({ number }) => number <= last));
  if (document.getElementById("news").dataset.event > last) tell(known.at(-1) ?? { number: 0, text: word("Nothing has happened yet.") });
}

let later;
// Fetch the events after the last queued event and before the first event on the page, which has
// only the latest events.
async function eventsBefore(first) {
  const missing = [];
  try {
    for (let after = last; after < first - 1; after = missing.at(-1).number) {
      const answer = await fetch(`${root}/t/${table}/events?after=${after}&before=${first}`, { cache: "no-store" });
      if ([429, 503].includes(answer.status)) { clearTimeout(later); later = setTimeout(takeNews, 3000); return null; }
      if (!answer.ok) break;
      const more = eventsIn(new DOMParser().parseFromString(await answer.text(), "text/html"));
      if (!more.length) break;
      missing.push(...more);
    }
  } catch { return null; } // try again when the stream reports that the server is back
  return missing;
}

async function run() {
  playing = true;
  while (queue.length) {
    // Wait while the page is hidden.
    if (document.hidden) await shownAgain();
    const event = queue.shift();
    if (!event) break;
    tell(event);
    count();
    const length = skipping ? 0 : PACES[pace()];
    if (length) { travel(event, length); play(event.laid === undefined ? "event" : "set"); }
    await Promise.race([wait(length), new Promise((done) => { skip = done; })]);
  }
  playing = skipping = false;
}

const shownAgain = () => new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));

function tell({ text, number, what }) {
  const news = document.getElementById("news");
  news.textContent = text;
  news.dataset.event = number;
  news.dataset.what = what;
  try { sessionStorage.setItem(SEEN, number); } catch { /* not allowed here */ }
}

function count() {
  const behind = document.getElementById("behind");
  if (behind) behind.textContent = queue.length ? `${word("catching up:")} ${queue.length} · ${word("tap to skip")}` : "";
}

// Play a tone when it becomes the player's turn, and at the end of the game.
let before = "";
function yours() {
  const bar = part.querySelector(".bar");
  const now = bar?.classList.contains("yours") ? "yours" : part.querySelector(".seats .acting") ? "others" : "over";
  if (before && now !== before && now !== "others") play(now);
  if (now !== before) tellOutside(now);
  before = now;
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-skip], [data-news]")) return;
  skipping = queue.length > 0;
  skip();
});
