// What happened is shown one event after another, each in its order, none twice and none left out:
// the board is always the present one.
import { liked, part, table, wait } from "./page.js";
import { play } from "./sound.js";
import { travel } from "./travel.js";

export const PACES = { slow: 1800, normal: 900, fast: 350, once: 0 };

export function pace() {
  const name = liked("pace");
  return name in PACES ? name : "normal";
}

const SEEN = `quaternity-seen-${table}`;
const events = () => Array.from(part.querySelectorAll(".history li")).reverse();
const queue = [];
let last = 0; // the number of the event that was put into the queue last
let words = ""; // and its text: a question gets its answer later
let playing = false;
let skip = () => {};
let skipping = false;

// What a page that is loaded again had not shown yet is shown now.
export function startNews() {
  const all = events();
  const latest = all.at(-1)?.value ?? 0;
  let seen = latest;
  try { seen = Number(sessionStorage.getItem(SEEN) ?? latest); } catch { /* not allowed here */ }
  last = Math.min(seen, latest);
  remember(last);
  const shown = all.find((item) => item.value === last) ?? all.at(-1);
  if (shown) tell(shown.textContent, last);
  words = shown?.textContent ?? "";
  takeNews();
}

export function takeNews() {
  if (part.dataset.at) return;
  const all = events();
  const latest = all.at(-1)?.value ?? 0;
  if (latest < last) { // taken back
    queue.length = 0;
    last = latest;
    remember(last);
    words = all.at(-1)?.textContent ?? "";
    tell(all.at(-1)?.textContent ?? "Nothing has happened yet.", latest);
  }
  for (const item of all) {
    if (item.value > last || (item.value === last && item.textContent !== words)) queue.push({ number: item.value, text: item.textContent, ...item.dataset });
  }
  last = latest;
  words = all.at(-1)?.textContent ?? "";
  yours();
  count();
  if (!playing) run();
}

async function run() {
  playing = true;
  while (queue.length) {
    const event = queue.shift();
    tell(event.text, event.number);
    count();
    const length = skipping ? 0 : PACES[pace()];
    if (length) { travel(event, length); play(event.laid === undefined ? "event" : "set"); }
    await Promise.race([wait(length), new Promise((done) => { skip = done; })]);
    remember(event.number);
  }
  playing = skipping = false;
}

function tell(text, number) {
  const news = document.getElementById("news");
  news.textContent = text;
  news.dataset.event = number;
}

// An event has been seen when its time is over: a page loaded again meanwhile shows it again.
function remember(number) {
  try { sessionStorage.setItem(SEEN, number); } catch { /* not allowed here */ }
}

function count() {
  const behind = document.getElementById("behind");
  behind.textContent = queue.length ? `catching up: ${queue.length}` : "";
}

// A tone where it becomes my turn, and at the end.
let before = "";
function yours() {
  const bar = part.querySelector(".bar");
  const now = bar?.classList.contains("yours") ? "yours" : part.querySelector(".seats .acting") ? "others" : "over";
  if (before && now !== before && now !== "others") play(now);
  before = now;
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-skip], [data-news]")) return;
  skipping = queue.length > 0;
  skip();
});
