// Shows answers and steps of puzzles without leaving the page, lets the user tap cards, and stores
// the results of the daily puzzles in the browser. The results are not sent to the server.
import { Idiomorph } from "./idiomorph.js";
import { announce, complain, remember, remembered, said, word } from "./page.js";

const KEPT = "puzzles";
const days = () => remembered(KEPT, {});
const seedOf = (day) => day.replaceAll("-", "");

// Store the first answer to a puzzle of the day, and whether hints were used.
function keep() {
  const puzzle = document.getElementById("puzzle");
  const [kind, , seed] = (puzzle?.dataset.puzzle ?? "").split("/");
  if (!puzzle?.dataset.judged || !("daily" in puzzle.dataset) || !/^2\d{7}$/.test(seed)) return;
  const all = days();
  const day = (all[seed] ??= {});
  day[kind] ??= puzzle.dataset.judged === "right" ? (Number(puzzle.dataset.steps) ? "💡" : "✓") : "✗";
  const late = Object.keys(all).sort().slice(-400);
  remember(KEPT, Object.fromEntries(late.map((name) => [name, all[name]])));
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
  section.querySelector("[data-streak]").textContent = count ? `${marks} · ${count} ${word("days")}` : marks;
}

async function show(path) {
  const puzzle = document.getElementById("puzzle");
  puzzle.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(path);
    if (![200, 422].includes(answer.status)) { complain(await said(answer)); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("puzzle");
    if (!page) { location.href = path; return; }
    Idiomorph.morph(puzzle, page.outerHTML, { restoreFocus: true });
    const verdict = document.getElementById("verdict");
    const last = document.querySelector(".proof li:last-child");
    (verdict.textContent.trim() ? verdict : last)?.scrollIntoView({ block: "nearest" });
    if (last) announce(last.textContent);
    keep();
  } catch { complain("The server does not answer."); } finally { puzzle.removeAttribute("aria-busy"); }
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-puzzle-form]");
  if (!form) return;
  event.preventDefault();
  show(`${form.action}?${new URLSearchParams(new FormData(form, event.submitter))}`);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-puzzle-link]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); show(link.href); }
  const share = event.target.closest("[data-share]");
  if (share) {
    const text = `${share.dataset.share} ${document.querySelector("[data-streak]").textContent}`;
    navigator.clipboard?.writeText(text).then(() => complain("The result is copied."), () => complain(text));
  }
});

// Write the letters of three tapped cards into the answer.
document.addEventListener("change", (event) => {
  if (!event.target.dataset.letter) return;
  const chosen = Array.from(document.querySelectorAll("[data-letter]:checked"));
  if (chosen.length < 3) return;
  const field = document.querySelector("[data-puzzle-form] input:is([name=answer], [data-threes])");
  const three = chosen.map((box) => box.dataset.letter).sort().join("");
  for (const box of chosen) box.checked = false;
  if (!field) return;
  const threes = new Set(field.value.toUpperCase().split(/[\s,;.]+/).filter(Boolean));
  if (!threes.delete(three)) threes.add(three);
  field.value = [...threes].join(" ");
  announce(field.value);
});

keep();
drawDay();
