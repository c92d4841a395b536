// Shows the time left for moves, counted down from the last value of the server.
import { part, whenDrawn, word } from "./page.js";

let [since, until] = [0, 0]; // the time of the last update, and the end of the countdown of a question

const words = (seconds) => {
  if (seconds >= 172800) return `${Math.floor(seconds / 86400)} ${word("days")}`;
  if (seconds >= 7200) return `${Math.floor(seconds / 3600)} h`;
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

function tick() {
  for (const clock of part?.querySelectorAll(".clock") ?? []) {
    const spent = clock.classList.contains("running") ? (performance.now() - since) / 1000 : 0;
    const left = Math.max(0, Number(clock.dataset.left) - spent);
    clock.textContent = words(left);
    clock.classList.toggle("short", spent > 0 && left < 10);
  }
  const count = part?.querySelector("[data-countdown]");
  if (!count) { until = 0; return; }
  until ||= performance.now() + 1000 * Number(count.dataset.countdown);
  count.textContent = Math.max(0, Math.ceil((until - performance.now()) / 1000)) || "";
}

whenDrawn(() => { since = performance.now(); tick(); });

if (part) setInterval(tick, 500);
