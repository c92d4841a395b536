// Tells the player of a hidden page that it is their turn, by its icon and a notification.
import { like, liked, part } from "./page.js";

const icon = document.querySelector("link[rel=icon]");
const usual = icon?.href;
let shown = null;

export function tellOutside(now) {
  if (icon) icon.href = now === "yours" ? icon.dataset.yours : usual;
  shown?.close();
  shown = null;
  if (now !== "yours" || !document.hidden || liked("notify") !== "on" || globalThis.Notification?.permission !== "granted") return;
  const title = part.querySelector("[data-title]")?.dataset.title ?? document.title;
  try { shown = new Notification(title, { tag: location.pathname }); } catch { return; } // some browsers allow notifications only in workers
  shown.onclick = () => { focus(); shown?.close(); };
}

// Show the option if notifications are possible: over HTTPS or on this machine, and not denied.
export function drawNotify() {
  const box = part?.querySelector("#notify");
  if (!box || !isSecureContext || !globalThis.Notification || Notification.permission === "denied") return;
  box.closest("label").hidden = false;
  box.checked = liked("notify") === "on" && Notification.permission === "granted";
}

document.addEventListener("change", async ({ target }) => {
  if (target.id !== "notify") return;
  if (target.checked && Notification.permission !== "granted") await Notification.requestPermission();
  like("notify", target.checked && Notification.permission === "granted" ? "on" : "off");
  drawNotify();
});
