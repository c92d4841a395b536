// Chooses the number of columns with which the cards of [data-fit] are largest without scrolling.
import { part, whenDrawn } from "./page.js";

const HEADER = 20; // height of the name of a set, in pixels

let fitted = "";

function measure() {
  const area = part?.querySelector("[data-fit]");
  const board = area?.closest("[data-board]");
  if (!board) return;
  const [sets, size] = area.dataset.fit.split(" ").map(Number);
  const width = board.clientWidth;
  const name = area.querySelector(".leasts") ? 120 : 84; // least width of the name of a set
  const above = area.offsetTop; // the line about cards set aside
  const height = board.clientHeight - above;
  let best = { side: 0, columns: 1, abreast: size, wide: 0, high: 0 };
  for (let columns = 1; columns <= sets; columns += 1) {
    for (let abreast = 1; abreast <= size; abreast += 1) {
      const across = (width / columns - 12) / abreast;
      const down = (height / Math.ceil(sets / columns) - HEADER - 8) / Math.ceil(size / abreast);
      // Avoid sets that are too narrow for their names, and cards that are narrower than a finger.
      const side = Math.min(across, down * 0.85) * Math.min(1, (width / columns / name) ** 2) * (across < 24 ? 0.6 : 1);
      if (side > best.side) best = { side, columns, abreast, wide: across, high: Math.min(down, 1.4 * side) };
    }
  }
  const down = Math.ceil(size / best.abreast);
  const style = `--above: ${above}px; --columns: ${best.columns}; --abreast: ${best.abreast}; --down: ${down}; --side: ${Math.min(best.side, 130)}px; --wide: ${best.wide}px; --high: ${best.high}px`;
  part.classList.add("fitted");
  part.classList.toggle("roomy", best.side > 62);
  // Whether cards with a name in two lines fit below a heading of two lines.
  part.classList.toggle("tall", best.high - 11 / down > 0.45 * best.side + 26);
  if (style === fitted) return; // the style of all cards depends on these values
  fitted = style;
  part.style.cssText = style;
}

// Measure the page just before the browser paints it, when it has computed the layout anyway.
let frame = 0;
export function fit() {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(fitNow);
}

// Measure the page if it has changed. Call this before other code measures the page.
export function fitNow() {
  if (!frame) return;
  cancelAnimationFrame(frame);
  frame = 0;
  measure();
}

whenDrawn(fit);
addEventListener("resize", fit);
