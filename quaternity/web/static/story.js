// Loads the story of a finished game into the page of its table, and announces its beginning.
import { announce, completePage, part, whenDrawn } from "./page.js";

let loading = "";

// Draw the story once. The part of the page that changes keeps it (see `isKept` in showing.js).
async function drawStory() {
  const place = part?.querySelector("[data-story]");
  if (!place || place.dataset.loaded !== undefined || loading === place.dataset.story) return;
  loading = place.dataset.story;
  try {
    const answer = await fetch(loading, { cache: "no-store" });
    if (!answer.ok || !place.isConnected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...page.body.childNodes);
    place.dataset.loaded = "";
    completePage();
    const told = part.querySelectorAll("#headline, #story > h2:first-child, #story > p:first-of-type");
    announce(Array.from(told, (one) => one.textContent.trim()).join(". "));
  } catch { /* The final board stays. */ } finally { loading = ""; }
}

whenDrawn(drawStory);
