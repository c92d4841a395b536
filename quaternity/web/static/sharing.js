// Copies and shares the link in the waiting room.
import { complain } from "./page.js";

document.body.toggleAttribute("data-can-share", Boolean(navigator.share));

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy], [data-share-link]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy ?? button.dataset.shareLink);
  if (button.dataset.copy === undefined) {
    navigator.share({ title: button.dataset.title, url: field.value }).catch(() => {}); // the user changed their mind
  } else {
    field.select();
    navigator.clipboard?.writeText(field.value).then(() => complain("The link is copied."), () => {});
  }
});
