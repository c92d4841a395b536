// Loads the story of a finished game into the page of its table, and announces its beginning.
import { sceneLength } from "./pacing.js";
import { announce, completePage, drawn, part, wait, whenDrawn } from "./page.js";

let loading = "";

// Draw the story once. The part of the page that changes keeps it (see `isKept` in showing.js).
async function drawStory() {
  const place = part?.querySelector("[data-story]");
  if (!place || place.dataset.loaded !== undefined || loading === place.dataset.story) return;
  loading = place.dataset.story;
  let retry = true; // as after a restart of the server
  const seen = wait(drawn.times ? 4 * sceneLength() : 0); // let the final board be seen first
  try {
    const answer = await fetch(loading, { cache: "no-store" });
    retry = answer.status >= 429;
    const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
    await seen;
    if (!answer.ok || !place.isConnected) return;
    place.replaceChildren(...body.childNodes);
    place.dataset.loaded = "";
    completePage();
    const told = part.querySelectorAll("#headline, #story > h2:first-child, #story > p:nth-of-type(-n+2):not(:has(> a))");
    announce(Array.from(told, (one) => one.textContent.trim()).join(". "));
  } catch { /* The final board stays. */ } finally { loading = ""; if (retry) setTimeout(drawStory, 5000); }
}

whenDrawn(drawStory);
