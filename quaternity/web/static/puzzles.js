// Judges taps on the board of a puzzle, shows steps of its proof without leaving the page, and
// stores the results of the daily puzzles in the browser. The results are not sent to the server.
import { playMoment, readMoment, skipMoment } from "./moments.js";
import { morph } from "./morphing.js";
import { sceneLength } from "./pacing.js";
import { complain, part, remember, remembered, said, word } from "./page.js";
import { copy } from "./sharing.js";
import { prepare } from "./showing.js";

const KEPT = "puzzles";
const days = () => remembered(KEPT, {});
const seedOf = (day) => day.replaceAll("-", "");
const puzzle = () => document.getElementById("puzzle");

// Store the first answer to a puzzle of the day, and whether hints were used.
function keep() {
  const { puzzle: name = "", judged, daily, steps } = { ...puzzle()?.dataset };
  const [kind, , seed] = name.split("/");
  if (!judged || daily === undefined || !/^2\d{7}$/.test(seed)) return;
  const all = days();
  (all[seed] ??= {})[kind] ??= judged === "right" ? (Number(steps) ? "💡" : "✓") : "✗";
  remember(KEPT, Object.fromEntries(Object.entries(all).sort().slice(-400)));
}

// Return the number of consecutive days up to today on which all five puzzles were answered.
function streak(all, day, five) {
  let count = 0;
  const date = new Date(`${day}T12:00:00Z`);
  const done = () => five.every((kind) => all[seedOf(date.toISOString().slice(0, 10))]?.[kind]);
  if (!done()) date.setUTCDate(date.getUTCDate() - 1); // today may still be completed
  while (done()) { count += 1; date.setUTCDate(date.getUTCDate() - 1); }
  return count;
}

function drawDay() {
  const section = document.querySelector("[data-day]");
  if (!section) return;
  const all = days(), day = section.dataset.day, today = all[seedOf(day)] ?? {};
  const five = Array.from(section.querySelectorAll("[data-of-day]"), (item) => item.dataset.ofDay);
  for (const item of section.querySelectorAll("[data-of-day]")) item.querySelector(".mark-of").textContent = today[item.dataset.ofDay] ?? "";
  const marks = five.map((kind) => today[kind] ?? "·").join("");
  const count = streak(all, day, five);
  section.querySelector(".streak").hidden = !count && !Object.keys(today).length;
  section.querySelector("[data-streak]").textContent = count ? `${marks} · ${count} ${word(count === 1 ? "day" : "days")}` : marks;
}

// Show the page for an answer or a step. While its moment is played, a tap only skips the moment.
let showing = false;
async function show(path, length = sceneLength()) {
  if (showing) return;
  showing = true;
  puzzle().setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(path, { signal: AbortSignal.timeout?.(20000) });
    if (![200, 422].includes(answer.status)) { complain(await said(answer)); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("part");
    if (!page) { location.href = path; return; }
    puzzle().removeAttribute("aria-busy");
    await playMoment(readMoment(page), () => draw(page), { length });
  } catch { complain("The server does not answer."); } finally { showing = false; puzzle()?.removeAttribute("aria-busy"); }
}

function draw(page) {
  document.getElementById("set-form")?.reset(); // the cards of a claim are no longer chosen
  morph(part, page);
  part.querySelector(".thumb").scrollTop = 0;
  prepare();
  keep();
  drawDay();
}

// Send an answer. SETs that were found already belong to it.
function submit(query) {
  const { link, steps, found } = puzzle().dataset;
  query.set("steps", steps);
  if (found) query.append("answer", found);
  show(`${link}?${query}`);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!puzzle()?.contains(form)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  submit(new URLSearchParams(new FormData(form, event.submitter)));
}, true);

document.addEventListener("click", (event) => {
  const tap = event.target.closest("#puzzle [data-move]");
  if (tap) {
    event.stopImmediatePropagation();
    const cell = document.querySelector("#puzzle input[name=cell]:checked")?.value;
    if (tap.dataset.move.includes("{cell}") && !cell) complain(tap.form.dataset.incomplete);
    else submit(new URLSearchParams({ answer: tap.dataset.move.replace("{cell}", cell) }));
  }
  if (event.target.closest("#puzzle")) skipMoment();
  const link = event.target.closest("[data-puzzle-link]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); show(link.href, link.dataset.key === "ArrowLeft" ? 0 : sceneLength()); }
  const share = event.target.closest("[data-share]");
  if (share) copy(`${share.dataset.share} ${document.querySelector("[data-streak]").textContent}`, "The result is copied.");
}, true);

keep();
drawDay();
