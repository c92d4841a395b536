// A player of Kwartet for Node that collects its largest set.
const { createInterface } = require("node:readline");

const answer = (document) => console.log(JSON.stringify(document));

// How good a move such as "2 asks 0 for 1/3" is.
function merit(move, view) {
  const [asked, set, number] = move.match(/\d+/g).slice(1).map(Number);
  if (view.hand.includes(`${set}/${number}`)) return -1; // a bluff
  const owners = view.owners[set][number];
  if (!owners.includes(asked)) return 0;
  const held = view.hand.filter((card) => card.startsWith(`${set}/`));
  return 100 * held.length + 10 - owners.length;
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  if (asked.do === "quit") process.exit();
  if (asked.do === "new") answer({ ready: "Hoarder in JavaScript" });
  if (asked.do !== "choose") return;
  const merits = asked.moves.map((move) => merit(move, asked.view));
  answer({ move: asked.moves[merits.indexOf(Math.max(...merits))] });
});
