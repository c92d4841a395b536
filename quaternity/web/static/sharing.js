// Copies texts to the clipboard, and shares links.
import { complain } from "./page.js";

document.body.toggleAttribute("data-can-share", Boolean(navigator.share));

// Copy a text, or show it if the browser does not allow to copy it.
export async function copy(text, message = "The link is copied.") {
  try {
    await navigator.clipboard.writeText(text); // on plain HTTP, there is no clipboard
    complain(message);
  } catch { complain(text); }
}

document.addEventListener("click", ({ target }) => {
  const element = target.closest("[data-copy], [data-share-link], [data-select]");
  if (!element) return;
  const { copy: text, shareLink: url, title = document.title } = element.dataset;
  if (url && navigator.share) navigator.share({ title, url }).catch(() => {}); // the user changed their mind
  else { element.select?.(); copy(text ?? url ?? element.value); }
});
