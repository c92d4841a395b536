// Uploads files that the user drops or chooses.
import { Idiomorph } from "./idiomorph.js";
import { announce, complain, root, said } from "./page.js";

export async function upload(place, file) {
  if (!place || !file) return;
  try {
    const path = place.dataset.drop;
    const answer = await fetch(root + path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
    if (place.dataset.result && [200, 422].includes(answer.status)) {
      const result = document.getElementById(place.dataset.result);
      Idiomorph.morph(result, await answer.text(), { morphStyle: "innerHTML" });
      result.scrollIntoView({ block: "nearest" });
      announce(result.textContent.trim().slice(0, 300));
    } else if (!answer.ok) complain(await said(answer));
    else location.href = `${root}/t/${(await answer.json()).table}/at/0`;
  } catch { complain("The server does not answer."); }
}

for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = event.target.closest?.("[data-drop]");
    if (!place) return;
    event.preventDefault();
    if (kind === "drop") upload(place, event.dataTransfer.files[0]);
  });
}
