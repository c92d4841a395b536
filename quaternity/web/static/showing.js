// Fetches the changing part of a page after each event, and morphs it into place.
import { disarm, mark } from "./acting.js";
import { drawAsking } from "./asking.js";
import { afterHelp } from "./helping.js";
import { rove } from "./keys.js";
import { morph } from "./morphing.js";
import { drawMarks } from "./notebook.js";
import { takeNews } from "./news.js";
import { drawClocks } from "./clocks.js";
import { drawTalk } from "./talking.js";
import { drawTips } from "./tips.js";
import { likes } from "./sheets.js";
import { drawStory } from "./story.js";
import { complain, live, part, root, said, table } from "./page.js";

let fetching = null;
let again = false;
let wanted = 0;
let waiting = []; // callbacks, each with the version that must be shown first
let shown = "";

// Update the page. The promise is fulfilled when the page shows at least the given version.
export function refresh(version = 0) {
  if (!part || part.dataset.at) return Promise.resolve();
  wanted = Math.max(wanted, version);
  again = true;
  fetching ??= fetchPart();
  if (!version) return fetching;
  return Promise.race([fetching, new Promise((done) => { waiting.push([version, done]); })]);
}

// Fetch again if the part is older than the announced version. With several server processes,
// another process than the announcing one may answer, and learn about the version later.
async function fetchPart() {
  let late = 0;
  try {
    do {
      again = false;
      const answer = await fetch(`${root}/t/${table}/part${location.search}`, { cache: "no-store", signal: AbortSignal.timeout?.(20000) });
      if (answer.ok) show(await answer.text(), answer.headers.get("Quaternity-Version"));
      else complain(await said(answer));
      late = answer.ok && Number(part.dataset.version) < wanted ? late + 1 : 0;
      if (late && late < 6) await new Promise((go) => setTimeout(go, 20 << late));
    } while (again || (late && late < 6));
  } catch { /* the stream says when the server is back */ } finally {
    fetching = null;
    waiting = [];
    if (again) refresh(); // another update was requested while this fetch failed
  }
}

// Keep help, news and open questions when the table changes.
const kept = (node) => node.dataset?.loaded === undefined && !["help", "news", "behind", "ask", "elsewhere-out", "code-out"].includes(node.id);

export function show(html, version) {
  if (html === shown || (version !== null && Number(version) < Number(part.dataset.version))) return;
  shown = html;
  disarm();
  const before = eventsTold();
  const focused = part.contains(document.activeElement);
  const open = new Set(Array.from(part.querySelectorAll("details[id][open]"), (one) => one.id));
  morph(part, html, { beforeNodeMorphed: kept });
  if (part.dataset.version !== version) afterHelp();
  if (version !== null) part.dataset.version = version;
  for (const [least, done] of waiting) if (least <= Number(version)) done();
  for (const one of part.querySelectorAll("details[id]")) if (open.has(one.id)) one.open = true;
  // Let keyboard users continue from the headline if the focused element is gone.
  if (focused && !part.contains(document.activeElement)) part.querySelector("#headline")?.focus({ preventScroll: true });
  prepare();
  if (!part.dataset.at) announce(before);
  takeNews();
}

// Compare ids, too, because an answer has the same number as its question.
const eventsTold = () => new Set(Array.from(part.querySelectorAll(".history li"), (one) => `${one.value} ${one.dataset.what}`));

export function prepare() {
  for (const area of document.querySelectorAll("[data-arrows]")) rove(area);
  const drawn = part?.querySelector("[data-title]");
  if (drawn) document.title = drawn.dataset.title;
  for (const form of document.querySelectorAll("#part form")) mark(form);
  likes();
  drawTips();
  drawAsking();
  drawMarks();
  drawTalk();
  drawClocks();
  drawStory();
}

// Announce new events to screen readers.
function announce(before) {
  const news = [];
  for (const one of part.querySelectorAll(".history li")) {
    if (before.has(`${one.value} ${one.dataset.what}`) || news.length > 4) break;
    news.unshift(one.textContent);
  }
  const headline = part.querySelector("#headline")?.textContent ?? "";
  if (news.length || live.dataset.said !== headline) {
    live.textContent = [...news, headline].map((text) => (/[.?!]$/.test(text) ? text : `${text}.`)).join(" ");
  }
  live.dataset.said = headline;
}
