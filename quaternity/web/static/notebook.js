// Draws and changes pencil marks, the player's notes about who has which card. The server stores
// them with the seat.
import { complain, part, root, said, send, table, whenDrawn, word } from "./page.js";

const SIGNS = { none: "", yes: "✓", no: "✗", maybe: "?" };
const WORDS = { none: "no mark", yes: "has it", no: "does not have it", maybe: "may have it" };
const NEXT = { none: "yes", yes: "no", no: "maybe", maybe: "none" };
let marks = null; // the mark of each player and card

function drawMarks() {
  const notebook = part?.querySelector("[data-marks]");
  if (!notebook) return;
  if (marks === null) { load(notebook.dataset.marks); return; }
  for (const cell of notebook.querySelectorAll("[data-mark]")) {
    const mark = marks[cell.dataset.mark] ?? "none";
    if (cell.textContent === SIGNS[mark]) continue;
    cell.textContent = SIGNS[mark];
    cell.setAttribute("aria-label", `${cell.dataset.label}: ${word(WORDS[mark])}`);
  }
}

whenDrawn(drawMarks);

async function load(seat) {
  marks = {};
  try {
    const answer = await fetch(`${root}/api/tables/${table}/marks?seat=${seat}`, { cache: "no-store" });
    if (answer.ok) marks = (await answer.json()).marks;
  } catch { marks = null; return; }
  drawMarks();
}

document.addEventListener("click", async (event) => {
  const cell = event.target.closest("[data-mark]");
  if (!cell || marks === null) return;
  const mark = NEXT[marks[cell.dataset.mark] ?? "none"];
  const [player, card] = cell.dataset.mark.split(" ");
  const seat = Number(cell.closest("[data-marks]").dataset.marks);
  marks[cell.dataset.mark] = mark;
  drawMarks();
  try {
    const answer = await send(`/api/tables/${table}/marks`, { player: Number(player), card, mark, seat });
    if (!answer.ok) { complain(await said(answer)); load(seat); }
  } catch { complain("The server does not answer: the mark was not saved."); }
});
