// Opens, updates and closes the help panel of a table.
import { morph } from "./morphing.js";
import { announce, complain, focusOn, part, root, said, table, whenDrawn } from "./page.js";
import { caughtUp, isBehind } from "./queue.js";

let helping = null; // the last request for help, and the version of the table that it is about
let opener = null; // the element that had the focus when help was requested

// After a change of the table, request help about the present position again. Close help about an
// earlier moment.
whenDrawn(() => {
  if (!helping?.version || helping.version === part.dataset.version) return;
  if (!/^(chances|questions|know|analysis)/.test(helping.what)) closeHelp(); else if (!isBehind()) help(helping.what);
});

// Show help about the present position, when the page shows this position.
export async function help(what, wanted = false) {
  const panel = document.getElementById("help");
  const request = helping = { what };
  if (wanted && !panel.contains(document.activeElement)) opener = document.activeElement;
  panel.setAttribute("aria-busy", "true");
  await caughtUp();
  if (helping !== request) return;
  request.version = part.dataset.version;
  try {
    const answer = await fetch(`${root}/t/${table}/help/${what}`, { cache: "no-store" });
    const html = answer.ok ? await answer.text() : null;
    if (helping !== request) return;
    if (html === null) complain(await said(answer));
    else morph(panel, new DOMParser().parseFromString(html, "text/html").body);
    panel.hidden = html === null && !panel.childElementCount;
    if (wanted && html !== null) {
      panel.scrollIntoView({ block: "nearest" });
      announce(`${panel.querySelector("h2").textContent}. ${panel.querySelector("p")?.textContent ?? ""}`);
    }
  } catch { complain("The server does not answer."); }
  panel.removeAttribute("aria-busy");
}

export function closeHelp() {
  helping = null;
  const panel = document.getElementById("help");
  // On a phone, help was opened from the sheet, which is closed now.
  if (panel.contains(document.activeElement)) focusOn(opener?.getClientRects().length ? opener : document.getElementById("more-button"));
  panel.hidden = true;
  panel.removeAttribute("aria-busy");
}

document.addEventListener("keydown", ({ key, target }) => {
  if (key === "Escape" && document.getElementById("help")?.hidden === false && !document.body.dataset.sheet && !target.closest("#ask")) closeHelp();
});
