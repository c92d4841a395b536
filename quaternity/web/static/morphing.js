// Updates a part of the page, and keeps what the user has chosen or typed but not sent yet.
import { Idiomorph } from "./idiomorph.js";
import { drawn } from "./page.js";

const ticked = (one) => one.type === "checkbox" || one.type === "radio";
const now = (one) => (ticked(one) ? one.checked : one.value);

function usual(one) {
  if (ticked(one)) return one.defaultChecked;
  if (!one.options) return one.defaultValue;
  return (Array.from(one.options).find((option) => option.defaultSelected) ?? one.options[0])?.value;
}

// Return the controls that the user fills in, each with a key, without the slider of a replay.
function controls(node) {
  const all = Array.from(node.querySelectorAll("input:not([type=hidden], [type=file], [readonly], [data-go-to]), select, textarea"));
  return all.map((one) => {
    const { id, api, helpForm } = { id: one.id, ...one.form?.dataset };
    return [id || [api, helpForm, one.name, one.type === "radio" && one.value].join(), one];
  });
}

export function morph(node, html, callbacks = {}) {
  drawn.times += 1;
  const chosen = new Map();
  for (const [key, one] of controls(node)) if (now(one) !== usual(one)) chosen.set(key, now(one));
  // Do not change a field in which the user is typing; update other focused elements.
  const ignoreActiveValue = document.activeElement?.matches("input, textarea, select") ?? false;
  // When the game begins, replace the waiting room as a whole, so that nothing moves across the screen.
  if (node.querySelector(".table.waiting") && !html.includes('class="table waiting')) {
    const focused = node.contains(document.activeElement);
    node.innerHTML = html;
    if (focused) node.querySelector("#headline")?.focus({ preventScroll: true });
  } else Idiomorph.morph(node, html, { morphStyle: "innerHTML", ignoreActiveValue, restoreFocus: true, callbacks });
  for (const [key, one] of controls(node)) {
    const wish = chosen.get(key);
    if (wish === undefined || one.disabled || wish === now(one)) continue;
    if (ticked(one)) one.checked = wish;
    else if (!one.options || Array.from(one.options).some(({ value }) => value === wish)) one.value = wish;
  }
}
