// Starts all scripts of a page.
import "./acting.js";
import { showSeats } from "./acting.js";
import { listen } from "./listening.js";
import "./keys.js";
import "./notebook.js";
import "./asking.js";
import "./clocks.js";
import { part, remember, remembered } from "./page.js";
import { start } from "./queue.js";
import "./sharing.js";
import "./sheets.js";
import "./puzzles.js";
import "./story.js";
import "./tips.js";
import { prepare, reveal } from "./showing.js";

// Show the seats that match the form, which the browser restores after a step back in the history.
addEventListener("pageshow", () => {
  const count = document.querySelector("[data-count-of-seats]");
  if (count) showSeats(Number(count.value));
});

// Fill in the name of the user. A first game has a hidden field, with a default for new users.
for (const one of document.querySelectorAll("input[name=name]")) {
  if (one.type === "hidden" || !one.value) one.value = remembered("name", one.value);
}

// Keep the name for the next form, and show a field with a wrong value even if it is folded away.
document.addEventListener("submit", ({ target }) => {
  const field = target.querySelector("input[name=name]");
  if (target.method === "post" && field?.type === "text") remember("name", field.value.trim());
});
document.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);

if (part?.dataset.at) {
  prepare();
  reveal();
} else if (part) start().then(listen);
