// Animates cards that move between seats and sets that are put down, without changing the layout.
const still = matchMedia("(prefers-reduced-motion: reduce)");

const seat = (number) => document.getElementById(`seat${number}`)?.getBoundingClientRect();

export function travel({ from, to, laid }, length) {
  const start = seat(from ?? laid);
  const end = seat(to ?? laid);
  if (!start || !end || still.matches) return;
  const card = document.createElement("div");
  card.className = laid === undefined ? "traveller" : "traveller whole";
  card.ariaHidden = "true";
  document.body.append(card);
  const place = (box) => `translate(${box.left + box.width / 2}px, ${box.top + box.height / 2}px) translate(-50%, -50%)`;
  const frames = laid === undefined
    ? [{ transform: place(start) }, { transform: place(end) }]
    : [{ transform: `${place(end)} scale(3)`, opacity: 0 }, { transform: place(end), opacity: 1 }, { transform: `${place(end)} scale(.6)`, opacity: 0 }];
  card.animate(frames, { duration: Math.min(length, 900) * .85, easing: "ease-in-out" }).finished.finally(() => card.remove());
}
