// Opens, updates and closes the help panel of a table.
import { morph } from "./morphing.js";
import { announce, complain, part, root, said, table, whenDrawn } from "./page.js";

let helping = null;
let version = null; // the version of the table when the help was requested

// After a change of the table, request help about the current position again. Close help about an
// earlier moment.
whenDrawn(() => {
  if (!helping || version === part.dataset.version) return;
  if (/^(chances|questions|know|analysis)/.test(helping)) help(helping); else closeHelp();
});

export async function help(what, wanted = false) {
  const panel = document.getElementById("help");
  helping = what;
  version = part.dataset.version;
  panel.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${root}/t/${table}/help/${what}`, { cache: "no-store" });
    if (helping !== what) return;
    const html = answer.ok ? await answer.text() : null;
    if (html === null) complain(await said(answer));
    else morph(panel, html);
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
  document.getElementById("help").hidden = true;
}
