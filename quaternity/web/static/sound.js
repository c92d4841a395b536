// Plays short synthesized tones, which are off by default.
import { focusOn, like, liked, part, shownVersion, whenDrawn } from "./page.js";

const TONES = { event: [587], yes: [523, 659], no: [294], yours: [660, 880], set: [523, 659, 784], over: [784, 659, 523, 784] };
let context = null;

export const isOn = () => liked("sound") === "on";

export function play(name) {
  if (!isOn() || !TONES[name].length) return;
  context ??= new AudioContext();
  context.resume(); // a browser suspends it until the user touches the page
  TONES[name].forEach((pitch, index) => {
    const start = context.currentTime + index * 0.13;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.25);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.26);
  });
}

// Offer sound before the first event of a game, until the user of this browser has answered. Later,
// the offer would hide the news.
whenDrawn(() => {
  const question = part?.querySelector("#sound-offer");
  if (question) question.hidden = liked("sound") !== null || shownVersion() > 0 || !part.querySelector(".mine");
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-sound]");
  if (!button) return;
  like("sound", button.dataset.sound);
  button.parentElement.hidden = true;
  part.querySelector("#sound").checked = isOn();
  focusOn(null);
  play("yours");
});
