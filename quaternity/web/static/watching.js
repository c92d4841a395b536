// Shows other moments of a game without leaving the page.
import { playMoment, readMoment } from "./moments.js";
import { sceneLength } from "./pacing.js";
import { announce, complain, part, said } from "./page.js";
import { show } from "./showing.js";

let going = null;

// Go to another moment or seat. Of several requests, only the last one counts.
export async function go(path) {
  going = path;
  try {
    const answer = await fetch(path, { cache: "no-store" });
    if (going !== path) return;
    if (!answer.ok) { complain(await said(answer)); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("part");
    const moment = readMoment(next);
    // Play a step forward. Other steps change the board at once.
    const forward = moment.number === Number(part.dataset.at) + 1;
    if (forward) moment.texts.forEach((text) => announce(text));
    part.dataset.at = next.dataset.at;
    await playMoment(moment, () => show(next.innerHTML, null, next), { length: forward ? sceneLength() : 0 });
    history.replaceState(null, "", path);
  } catch { complain("The server does not answer."); }
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, [data-arrows]") || event.ctrlKey || event.altKey || event.metaKey) return;
  const link = part?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (link) { event.preventDefault(); go(link.href); }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-go]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.button) { event.preventDefault(); go(link.href); }
});
