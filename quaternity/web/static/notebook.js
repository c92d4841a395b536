// Draws and changes pencil marks, the player's notes about who has which card. The server stores
// them with the seat.
import { complain, part, root, said, send, table, whenDrawn, word } from "./page.js";

const SIGNS = { none: "", yes: "✓", no: "✗", maybe: "?" };
const WORDS = { none: "no mark", yes: "has it", no: "does not have it", maybe: "may have it" };
const NEXT = { none: "yes", yes: "no", no: "maybe", maybe: "none" };
const MARKS = "[data-marks] .cell";
let marks = null; // the mark of each player and card
let owner = null; // the seat whose marks they are; players who share a browser take turns

// Return the player and the card of a cell.
function keyOf(cell) {
  const set = cell.closest("table").id.slice("marks".length);
  return [cell.closest("tr").dataset.player, `${set}/${cell.parentElement.cellIndex - 1}`];
}

function drawMarks() {
  const notebook = part?.querySelector("[data-marks]");
  if (!notebook) return;
  if (marks === null || owner !== notebook.dataset.marks) { marks = {}; load(owner = notebook.dataset.marks); }
  for (const cell of notebook.querySelectorAll(MARKS)) {
    const [player, card] = keyOf(cell), mark = marks[`${player} ${card}`] ?? "none";
    if (cell.hasAttribute("aria-label") && cell.textContent === SIGNS[mark]) continue;
    const title = part.querySelector(`[data-card="${card}"]`).dataset.name.trim();
    cell.textContent = SIGNS[mark];
    cell.setAttribute("aria-label", `${title}, ${cell.closest("tr").querySelector(".name").textContent}: ${word(WORDS[mark])}`);
  }
}

whenDrawn(drawMarks);

async function load(seat) {
  try {
    const answer = await fetch(`${root}/api/tables/${table}/marks?seat=${seat}`, { cache: "no-store" });
    const found = answer.ok ? (await answer.json()).marks : marks;
    if (seat !== owner) return;
    marks = found;
  } catch { if (seat === owner) marks = null; return; }
  drawMarks();
}

document.addEventListener("click", async (event) => {
  const cell = event.target.closest(MARKS);
  if (!cell || marks === null) return;
  const [player, card] = keyOf(cell);
  const mark = NEXT[marks[`${player} ${card}`] ?? "none"];
  const seat = cell.closest("[data-marks]").dataset.marks;
  marks[`${player} ${card}`] = mark;
  drawMarks();
  try {
    const answer = await send(`/api/tables/${table}/marks`, { player: Number(player), card, mark, seat: Number(seat) });
    if (!answer.ok) { complain(await said(answer)); load(seat); }
  } catch { complain("The server does not answer: the mark was not saved."); }
});
