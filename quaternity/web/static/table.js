// A page of a table: news become a changed page, clicks become moves.
import "./acting.js";
import { showSeats } from "./acting.js";
import { listen } from "./listening.js";
import { startNews } from "./news.js";
import { live, part, remembered } from "./page.js";
import "./sheets.js";
import "./puzzles.js";
import "./tips.js";
import { prepare } from "./showing.js";

// What was filled in is there again after a step back in the history.
addEventListener("pageshow", () => {
  const count = document.querySelector("[data-count-of-seats] input");
  if (count) showSeats(Number(count.value));
});

// A first game asks for no name: its hidden field has one for who has never given theirs.
for (const one of document.querySelectorAll("input[name=name]")) {
  if (one.type === "hidden" || !one.value) one.value = remembered("name", one.value);
}

if (part) {
  prepare();
  live.dataset.said = part.querySelector("#headline")?.textContent ?? "";
  if (!part.dataset.at) {
    startNews();
    listen();
  }
}
