// Updates a part of the page, and keeps what the user has chosen or typed but not sent yet.
import { Idiomorph } from "./idiomorph.js";
import { drawn, focusOn } from "./page.js";

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

const alike = (one, other) => one.nodeName === other.nodeName && one.id === other.id;

// Change an element into another one. Idiomorph, which is slow, only gets the elements whose children
// are more, fewer or at other places than before, and controls.
function update(node, next, options) {
  if (!options.callbacks.beforeNodeMorphed(node, next)) return;
  if (node.matches?.("input, select, textarea")) { Idiomorph.morph(node, next, options); return; }
  if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
  for (const name of node.getAttributeNames?.() ?? []) if (!next.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of next.attributes ?? []) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  updateChildren(node, next, options);
}

// Replace children of other kinds than before, unless they only move.
function updateChildren(node, next, options) {
  const [children, wanted] = [Array.from(node.childNodes), Array.from(next.childNodes)];
  const moves = (id, index) => id && children.some((one, place) => one.id === id && place !== index);
  if (children.length !== wanted.length || wanted.some((one, index) => !alike(one, children[index]) && moves(one.id, index))) Idiomorph.morph(node, next.childNodes, { ...options, morphStyle: "innerHTML" });
  else children.forEach((one, index) => { if (alike(one, wanted[index])) update(one, wanted[index], options); else one.replaceWith(wanted[index]); });
}

// Change the children of an element into those of another one. Elements for which `isKept` returns
// true stay as they are.
export function morph(node, next, isKept = () => false) {
  drawn.times += 1;
  // The server knows neither which cells the Tab key reaches nor the player's own notes. With these,
  // cells that did not change are equal.
  for (const one of node.querySelectorAll("[data-arrows] [id][tabindex]")) {
    const other = next.ownerDocument.getElementById(one.id);
    if (other?.localName === one.localName) other.tabIndex = one.tabIndex;
  }
  for (const row of node.querySelectorAll("[data-marks] [data-player]")) {
    const other = next.querySelector(`#${row.closest("table").id} [data-player="${row.dataset.player}"]`);
    if (other?.cells[0].isEqualNode(row.cells[0])) other.replaceWith(row.cloneNode(true));
  }
  const chosen = new Map();
  for (const [key, one] of controls(node)) if (now(one) !== usual(one)) chosen.set(key, now(one));
  // Do not change a field in which the user is typing; update other focused elements.
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  // Leave an element that disappears now, because its removal would make the browser compute a layout.
  const stays = (one) => one !== node && (isKept(one) || stays(one.parentElement));
  if (focused?.id && !next.ownerDocument.getElementById(focused.id) && !stays(focused)) focusOn(null);
  const ignoreActiveValue = focused?.matches("input, textarea, select") ?? false;
  // When the game begins, replace the waiting room as a whole, so that nothing moves across the screen.
  if (node.querySelector(".table.waiting") && !next.querySelector(".waiting")) node.replaceChildren(...next.childNodes);
  else {
    // Skip elements that do not change, because comparing them is faster than morphing them.
    const beforeNodeMorphed = (one, other) => !isKept(one) && !one.isEqualNode(other);
    updateChildren(node, next, { ignoreActiveValue, restoreFocus: true, callbacks: { beforeNodeMorphed } });
  }
  for (const [key, one] of controls(node)) {
    const wish = chosen.get(key);
    if (wish === undefined || one.disabled || wish === now(one)) continue;
    if (ticked(one)) one.checked = wish;
    else if (!one.options || Array.from(one.options).some(({ value }) => value === wish)) one.value = wish;
  }
  if (focused && !node.contains(document.activeElement)) focusOn(document.getElementById(focused.id));
}
