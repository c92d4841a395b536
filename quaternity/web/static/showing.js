// Shows a version of the changing part of a page: morphs it into place, and keeps what the user does.
import { fit, fitNow } from "./fitting.js";
import { morph } from "./morphing.js";
import { announce, completePage, complain, live, part, wait } from "./page.js";

let shown = "";

// Keep help and open questions when the table changes.
const KEPT = ["help", "ask", "behind", "sound-offer", "elsewhere-out", "code-out"];

const isKept = (node) => node.dataset?.loaded !== undefined || KEPT.includes(node.id);

// Show the part of the page for a version, or for an earlier moment of a replay if it is null.
// `next` contains the parsed HTML.
export function show(html, version, next) {
  if (version !== null) part.dataset.version = version;
  if (html === shown) return;
  shown = html;
  const open = new Set(Array.from(part.querySelectorAll("details[id][open]"), (one) => one.id));
  const hadSeat = version !== null && part.querySelector("li.mine");
  morph(part, next, isKept);
  if (hadSeat && !part.querySelector("li.mine")) complain("You no longer have a seat on this device: you can only watch here.", null, 60000);
  for (const one of part.querySelectorAll("details[id]")) if (open.has(one.id)) one.open = true;
  prepare();
}

// Complete the page after it was loaded or changed.
export function prepare() {
  document.title = part?.querySelector("[data-title]")?.dataset.title || document.title;
  completePage();
  const headline = part?.querySelector("#headline")?.textContent ?? "";
  if (live.dataset.said !== undefined && live.dataset.said !== headline) announce(headline);
  live.dataset.said = headline;
}

// Show a page that is complete. A slow phone needs long for its layout, so it computes the layout of
// the hidden page in steps (see frame.css), and can answer between them.
export async function reveal() {
  await wait(20).then(fitNow);
  for (const step of ["some", "half", "whole"]) { part.classList.add(step); await wait(20); }
  if (!matchMedia("(max-height: 20rem), (max-width: 15rem)").matches) { fit(); fitNow(); } // rows of a fixed page may have grown
  document.body.classList.add("ready");
}
