// Plays a moment, which is what happens between two positions, on the board that the page shows.
//
//   await playMoment(readMoment(next), () => show(...), { length: sceneLength() });
//
// `next` is any element that contains the board after the moment, as the server draws it. The
// second argument draws this board. The board before the moment must be on the page. The server
// describes the scenes (`quaternity/web/drawing/moments.py`); nothing here knows a game.
import { fitNow } from "./fitting.js";
import { wait } from "./page.js";
import { play } from "./sound.js";

export const readMoment = (node) => JSON.parse(node.querySelector("[data-moment]")?.dataset.moment ?? '{"texts": [], "scenes": []}');

let skip = () => {};
// Go to the end of the moment that is being played.
export const skipMoment = () => skip();

// Draw the board at the end, or first if `first` is set. A length of 0 animates nothing; `pause` follows.
export async function playMoment(moment, draw, { length, first = false, pause = 0 }) {
  skip();
  for (const one of document.querySelectorAll(".bubble, .flyer, .verdicts")) one.remove();
  const skipped = new Promise((done) => { skip = done; });
  const before = new Map(Array.from(document.querySelectorAll(".owners"), (one) => [one.parentElement.id, one.textContent]));
  if (length) play(moment.sound);
  fitNow();
  // Elements that the new board lacks start where they are now. Measuring after a change would be slow.
  const measured = moment.scenes.map((scene) => scene.map((act) => [act, (length ? copied(act) : []).map(measureCopy)]));
  const scenes = measured.map((scene) => scene.map(([act, copies]) => [act, copies.map((make) => make())]));
  if (first) { draw(); fitNow(); await wait(0); } // the scenes take as long as the board
  let over = !length;
  skipped.then(() => { over = true; });
  for (const scene of scenes) {
    for (const [act, copies] of scene) PLAYED[act[0]]?.(act, over ? 0 : length, copies);
    if (!over) await Promise.race([wait(length), skipped]);
  }
  for (const copy of document.querySelectorAll(".flyer, .verdicts")) copy.remove();
  if (!first) { draw(); await wait(0); }
  if (pause) await Promise.race([wait(pause), skipped]);
  if (over) return;
  for (const scene of scenes) for (const [act] of scene) SHOWN_AFTER[act[0]]?.(act, length);
  for (const one of document.querySelectorAll(".owners")) {
    const old = before.get(one.parentElement.id);
    if (old !== undefined && old !== one.textContent) pop(one, length);
  }
}

const pop = (one, length, delay = 0) => one.animate([{ transform: "scale(1)" }, { transform: "scale(1.35)", filter: "brightness(1.25)" }, { transform: "scale(1)" }], { duration: length, delay });

const boxOf = (one) => one.getBoundingClientRect();
const matches = (what) => Array.from(document.querySelectorAll(what));
const visible = (what) => { const all = matches(what); return all.find((one) => boxOf(one).width) ?? all[0]; };

function made(kind, text = "") {
  const one = Object.assign(document.createElement("div"), { className: kind, textContent: text, ariaHidden: "true" });
  document.body.append(one);
  return one;
}

// Return a function that makes a hidden copy of an element, which lies over its place.
function measureCopy([what, place = what]) {
  const [original, at] = [visible(what), visible(place)];
  if (!original || !at) return () => null;
  const [from, { width, height }, isFace] = [spot(at), boxOf(original), original.matches(".face")];
  const sizes = Array.from(original.querySelectorAll("svg"), (svg) => { const style = getComputedStyle(svg); return { width: style.width, height: style.height }; });
  return () => {
    const inside = original.cloneNode(true);
    for (const one of [inside, ...inside.querySelectorAll("[id], input")]) { one.removeAttribute("id"); if (one.matches("input")) one.remove(); }
    inside.querySelectorAll("svg").forEach((svg, index) => Object.assign(svg.style, sizes[index]));
    const copy = Object.assign(made(isFace ? "flyer paper" : "flyer"), { hidden: true });
    copy.append(inside);
    if (width && !isFace) Object.assign(copy.style, { width: `${width}px`, height: `${height}px` });
    copy.style.transform = copy.dataset.from = from;
    return copy;
  };
}

function spot(node) {
  const box = boxOf(node);
  return `translate(${box.left + box.width / 2}px, ${box.top + box.height / 2}px) translate(-50%, -50%)`;
}

// Let copies fly to an element, each a part `pause` of the length later than the one before it. A
// single card is not seen before the answer that gives it away.
function fly(copies, to, length, { scale = 1, delay = 0.3, pause = 0 } = {}) {
  const end = length && visible(to) && `${spot(visible(to))} scale(${scale})`;
  copies.forEach((copy, index) => {
    if (!copy || !end) { copy?.remove(); return; }
    copy.hidden = false;
    copy.animate([{ transform: copy.dataset.from, opacity: pause ? 1 : 0 }, { opacity: 1, offset: 0.1 }, { transform: end }], { duration: length * 0.7, delay: length * (delay + index * pause), easing: "ease-in-out", fill: "both" });
  });
}

// Acts that move copies of elements: the elements, and the places from which they move.
const copied = ([kind, what, from]) => (kind === "carry" ? [[what, from]] : ["gather", "compare"].includes(kind) ? what.map((one) => [one]) : []);

const PLAYED = {
  say([, seat, text, row], length) {
    const place = document.getElementById(`seat${seat}`);
    if (!place) return;
    const box = boxOf(place);
    const top = Math.max(box.bottom, ...(row ? matches(".bubble").map((one) => boxOf(one).bottom) : []));
    const bubble = made(`bubble ink${seat % 8}`, text);
    if (length) bubble.animate([{ opacity: 0, transform: "scale(.7)" }, { opacity: 1, transform: "none" }], { duration: length / 5, delay: row ? length * 0.3 : 0, fill: "backwards" });
    const width = bubble.offsetWidth;
    const left = Math.min(Math.max(box.left + box.width / 2 - width / 2, 4), innerWidth - width - 4);
    Object.assign(bubble.style, { top: `${top + 4}px`, left: `${left}px` });
    bubble.style.setProperty("--tail", `${Math.min(Math.max(box.left + box.width / 2 - left, 12), width - 12)}px`);
    wait(3000).then(() => bubble.remove());
  },
  carry: ([, , , to], length, copies) => fly(copies, to, length),
  gather([, , to], length, copies) {
    const risen = matches(".flyer.risen");
    fly(copies, to, length, { scale: 0.5, delay: 0, pause: 0.08 });
    for (const one of risen) one.remove();
  },
  compare([, , texts], length, copies) {
    if (!length) { copies.forEach((copy) => copy?.remove()); return; }
    for (const copy of copies.filter(Boolean)) {
      copy.hidden = false;
      copy.classList.add("risen");
      copy.animate([{ transform: copy.dataset.from }, { transform: `${copy.dataset.from} translateY(-.5rem) scale(1.06)` }], { duration: length / 4, fill: "both" });
    }
    const list = made("verdicts");
    texts.forEach(([text, fits], index) => {
      const line = Object.assign(document.createElement("span"), { className: fits ? "fits" : "fails", textContent: `${fits ? "✓" : "✗"} ${text}` });
      list.append(line);
      line.animate([{ opacity: 0 }, { opacity: 1 }], { duration: length / 8, delay: (index + 1) * length * 0.18, fill: "backwards" });
    });
  },
};

// Acts that are played on the board after the moment.
const SHOWN_AFTER = {
  light: ([, card], length) => matches(card).forEach((one, index) => pop(one, length, index * length * 0.3)),
  deal: ([, card], length) => matches(card).forEach((one, index) => one.animate([{ opacity: 0, transform: "translateY(40vh) scale(.5)" }, { opacity: 1, transform: "none" }], { duration: length * 0.6, delay: index * length * 0.15, fill: "backwards", easing: "ease-out" })),
};
