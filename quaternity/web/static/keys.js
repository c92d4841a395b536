// Lets an arrow key move the focus to the nearest control in its direction, within [data-arrows].
import { whenDrawn } from "./page.js";

const CELLS = ":is(button:is(.cell, .tile), .curve a, [data-arrows]:not(:has(input)) > .well, span.set-card)";
const LIVE = ":not([aria-disabled], span)";

// Let the Tab key reach only the cells with which something can be done, and only one of many cells.
// If nothing can be done, it reaches one cell, so that the board can be read. The arrow keys reach
// the other cells (roving tabindex).
function rove(area, current) {
  const cells = area.querySelectorAll(CELLS);
  const first = current ?? area.querySelector(`${CELLS}:focus`) ?? area.querySelector(CELLS + LIVE) ?? cells[0];
  for (const one of cells) {
    const index = one === first || (cells.length < 13 && one.matches(`button${LIVE}`)) ? 0 : -1;
    if (one.getAttribute("tabindex") !== `${index}`) one.tabIndex = index;
  }
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
  for (const one of area.querySelectorAll(`button, input, a[href], ${CELLS}`)) {
    const to = one.getBoundingClientRect();
    const across = to.left + to.width / 2 - from.left - from.width / 2;
    const down = to.top + to.height / 2 - from.top - from.height / 2;
    const ahead = across * x + down * y;
    const aside = Math.abs(across * y) + Math.abs(down * x);
    if (ahead > 4 && aside < 3 * ahead && ahead + 3 * aside < least) { least = ahead + 3 * aside; best = one; }
  }
  if (best) { event.preventDefault(); rove(area, best); best.focus(); }
});
