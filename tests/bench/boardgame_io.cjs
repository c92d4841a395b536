// boardgame.io's server with the smallest game there is: it keeps a count, and seats take turns.
const { Server, Origins } = require("boardgame.io/server");

const game = {
  name: "count",
  setup: () => ({ count: 0 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { step: ({ G }) => { G.count++; } },
};
const server = Server({ games: [game], origins: [Origins.LOCALHOST] });
server.run({ port: 0, callback: () => {} }).then((running) => {
  console.log(`port ${running.appServer.address().port}`);
});
