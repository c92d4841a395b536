// Tips for a first game, at the moment when they matter: each until it was read.
import { fit } from "./fitting.js";
import { like, liked, part, table } from "./page.js";

const key = `tips-${table}`;
const read = () => { try { return JSON.parse(sessionStorage.getItem(key)) ?? []; } catch { return []; } };

export function drawTips() {
  const known = new Set(read());
  let shown = liked("tips") !== "on"; // one at a time, the one that matters most
  document.body.toggleAttribute("data-tips", !shown);
  for (const tip of part?.querySelectorAll("[data-tip]") ?? []) {
    tip.hidden = shown || known.has(tip.dataset.tip);
    shown ||= !tip.hidden;
  }
  const box = part?.querySelector("#tips");
  if (box) box.checked = liked("tips") === "on";
  fit();
}

document.addEventListener("click", ({ target }) => {
  const tip = target.closest("[data-read]")?.closest("[data-tip]");
  if (tip) try { sessionStorage.setItem(key, JSON.stringify([...read(), tip.dataset.tip])); } catch { tip.remove(); }
  if (target.closest("[data-no-tips]")) { like("tips", "off"); drawTips(); }
  // The next one waits until something has happened.
  if (tip) for (const other of part.querySelectorAll("[data-tip]")) other.hidden = true;
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "tips") { like("tips", target.checked ? "on" : "off"); drawTips(); }
});

// Who begins a guided game wants tips.
document.addEventListener("submit", ({ target }) => { if (target.dataset.guided !== undefined) like("tips", "on"); });
