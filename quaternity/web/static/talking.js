// Sends and shows chat lines and reactions.
import { announce, complain, part, said, send, table, wait, whenDrawn } from "./page.js";

let seen = null; // the number of the last chat line that was visible

const isInSight = (node) => node && getComputedStyle(node.closest(".side") ?? node).display !== "none";

// Mark the button *More* if there are unread chat lines.
function drawTalk() {
  const lines = part?.querySelector(".lines");
  if (!lines) return;
  const last = lines.lastElementChild?.value ?? 0;
  if (seen !== null && last > seen) {
    lines.scrollTop = lines.scrollHeight;
    announce(lines.lastElementChild.textContent);
  }
  if (seen === null || (last !== seen && isInSight(lines))) seen = last; // reading the style is slow
  document.getElementById("more-button")?.classList.toggle("unread", last > seen);
}

whenDrawn(drawTalk);

export async function showReaction({ seat, name, reaction }) {
  const place = part?.querySelector(seat === null ? ".bar" : `li[data-seat="${seat}"]`);
  const who = place?.querySelector(".who b")?.textContent ?? name;
  announce(who ? `${who}: ${reaction}` : reaction);
  if (!place) return;
  const shown = Object.assign(document.createElement("span"), { className: "reaction", textContent: reaction });
  const box = place.getBoundingClientRect();
  document.body.append(shown);
  shown.style.left = `${box.left + box.width / 2}px`;
  shown.style.top = `${box.top + box.height / 2}px`;
  await wait(2500);
  shown.remove();
}

// Update after the sheet has opened or closed.
document.addEventListener("click", (event) => { if (event.target.closest("[data-sheet]")) setTimeout(drawTalk); });

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-reaction]");
  if (!button) return;
  try {
    const seat = part.querySelector(".table[data-seat]")?.dataset.seat;
    const answer = await send(`/api/tables/${table}/reactions`, { reaction: button.dataset.reaction, ...(seat && { seat: Number(seat) }) });
    if (!answer.ok) complain(await said(answer));
  } catch { complain("The server does not answer. Try again."); }
});
