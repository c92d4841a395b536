// Lets an arrow key move the focus to the nearest control in its direction, within [data-arrows].
import { whenDrawn } from "./page.js";

const CELLS = "button:is(.cell, .tile)";

// Let the Tab key reach only one of many cells, and the arrow keys the other cells (roving
// tabindex).
function rove(area, current) {
  const cells = area.querySelectorAll(CELLS);
  if (cells.length < 13) return;
  const first = current ?? area.querySelector("button:is(.cell, .tile):focus") ?? area.querySelector(":is(.cell, .tile):not([aria-disabled])") ?? cells[0];
  for (const one of cells) one.tabIndex = one === first ? 0 : -1;
}

whenDrawn(() => { for (const area of document.querySelectorAll("[data-arrows]")) rove(area); });

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
