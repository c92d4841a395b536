// Handles the sheet *More*, the choice of the view, and the preferences of the user.
import { like, liked, part, whenDrawn } from "./page.js";
import { pace } from "./pacing.js";
import { isOn } from "./sound.js";

function turn(name) {
  const open = document.body.dataset.sheet !== name;
  if (open) document.body.dataset.sheet = name; else delete document.body.dataset.sheet;
  document.getElementById(open ? name : "more-button")?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sheet]:not(body)");
  if (button) turn(button.dataset.sheet);
  // Close the sheet, because the result is shown on the board.
  else if (event.target.closest("[data-help], .side a, .side [data-view]") && document.body.dataset.sheet) turn(document.body.dataset.sheet);
});

// Switch between the tiles and the matrix of the same position.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-view]:not(body)")) return;
  const view = document.body.dataset.view === "matrix" ? "tiles" : "matrix";
  like("view", view);
  document.body.dataset.view = view;
});
document.body.dataset.view = liked("view") ?? "tiles";

document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && document.body.dataset.sheet) turn(document.body.dataset.sheet); });

document.addEventListener("change", ({ target }) => {
  if (target.id === "pace") like("pace", target.value);
  if (target.id === "sound") like("sound", target.checked ? "on" : "off");
});

whenDrawn(() => {
  const choice = part?.querySelector("#pace");
  if (!choice) return;
  choice.value = pace();
  part.querySelector("#sound").checked = isOn();
});
