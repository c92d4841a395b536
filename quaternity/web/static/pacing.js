// The pace of moments, which the user chooses.
import { liked } from "./page.js";

const PACES = { slow: 1500, normal: 700, fast: 350, once: 0 };

export const pace = () => (liked("pace") in PACES ? liked("pace") : "normal");

const still = matchMedia("(prefers-reduced-motion: reduce)");

// Return the length of a scene in milliseconds. It is 0 if nothing may or can be animated.
export const sceneLength = () => (still.matches || !Element.prototype.animate ? 0 : PACES[pace()]);

// Return the time for reading a text about a move that is not animated, in milliseconds.
export const readingTime = (text) => (sceneLength() ? 0 : PACES[pace()] * (1 + text.length / 40));
