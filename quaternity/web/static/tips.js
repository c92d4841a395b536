// Shows tips for a first game when they are relevant, each until the user closes it.
import { completePage, focusOn, like, liked, part, table, whenDrawn } from "./page.js";

const key = `tips-${table}`;
const read = () => { try { return JSON.parse(sessionStorage.getItem(key)) ?? []; } catch { return []; } };

function drawTips() {
  const known = new Set(read());
  let shown = liked("tips") !== "on"; // show only one tip, the most important one
  document.body.toggleAttribute("data-tips", !shown);
  for (const tip of part?.querySelectorAll("[data-tip]") ?? []) {
    tip.hidden = shown || known.has(tip.dataset.tip);
    shown ||= !tip.hidden;
  }
  for (const box of part?.querySelectorAll("#tips") ?? []) box.checked = liked("tips") === "on";
}

whenDrawn(drawTips);

document.addEventListener("click", ({ target, detail }) => {
  const tip = target.closest("[data-read]")?.closest("[data-tip]");
  if (tip) try { sessionStorage.setItem(key, JSON.stringify([...read(), tip.dataset.tip])); } catch { tip.remove(); }
  if (target.closest("[data-no-tips]")) { like("tips", "off"); completePage(); }
  // Show the next tip only after the next event. By keyboard, continue where the player acts.
  if (tip) for (const other of part.querySelectorAll("[data-tip]")) other.hidden = true;
  if (detail === 0 && target.closest("[data-tip]")) focusOn(part.querySelector(":is(.board, .thumb) :is(button[data-act], input:not([type=hidden]))") ?? part.querySelector(".board"));
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "tips") { like("tips", target.checked ? "on" : "off"); completePage(); }
});

// Switch tips on when the user starts a guided game.
document.addEventListener("submit", ({ target }) => { if (target.dataset.guided !== undefined) like("tips", "on"); });
