// Tells the player whose turn it is: by a sound, and on a hidden page by its icon, title and a
// notification.
import { like, liked, part, whenDrawn } from "./page.js";
import { play } from "./sound.js";

const icon = document.querySelector("link[rel=icon]");
const usual = icon?.href;
let [shown, before] = [null, ""];
let permission = globalThis.Notification?.permission; // reading it after every move would be slow

// Tell what has changed in a part of the page, which may be newer than the part that is shown.
export function tellOutside(node) {
  const bar = node.querySelector(".bar");
  const now = bar?.classList.contains("yours") ? "yours" : node.querySelector(".seats .acting") ? "others" : "over";
  const { title } = node.querySelector("[data-title]")?.dataset ?? document;
  if (document.hidden) document.title = title;
  if (now === before) return;
  if (before && now !== "others") play(now);
  before = now;
  if (icon) icon.href = now === "yours" ? icon.dataset.yours : usual;
  shown?.close();
  shown = null;
  if (now !== "yours" || !document.hidden || liked("notify") !== "on" || permission !== "granted") return;
  try { shown = new Notification(title, { tag: location.pathname }); } catch { return; } // some browsers allow notifications only in workers
  shown.onclick = () => { focus(); shown?.close(); };
}

// Show the option if notifications are possible: over HTTPS or on this machine, and not denied.
whenDrawn(() => {
  const box = part?.querySelector("#notify");
  if (!box || !isSecureContext || !permission || permission === "denied") return;
  box.closest("label").hidden = false;
  box.checked = liked("notify") === "on" && permission === "granted";
});

document.addEventListener("change", async ({ target }) => {
  if (target.id !== "notify") return;
  if (target.checked && permission !== "granted") permission = await Notification.requestPermission();
  like("notify", target.checked && permission === "granted" ? "on" : "off");
  target.checked = liked("notify") === "on";
});
