// Listens to the events of the table. All tabs of the browser share a stream by a shared worker,
// because a browser opens only six connections to a server. Without shared workers, each visible
// tab has a separate stream.
import { part, root, setLost, table } from "./page.js";
import { caughtUp, comeBack, refresh } from "./queue.js";
import { showReaction } from "./talking.js";

export function listen() {
  // Use a different path, so that this tab does not share the stream of a tab that was opened
  // before the visitor had a seat.
  const path = `${root}/api/tables/${table}/events${part.querySelector(".mine") ? "?seated" : ""}`;
  try {
    const worker = new SharedWorker(document.body.dataset.stream, { type: "module", name: "quaternity" });
    const tell = (what) => worker.port.postMessage({ what, path });
    worker.onerror = () => listenAlone(path);
    worker.port.onmessage = ({ data }) => { if (data.path === path) heard(data); };
    tell("open");
    addEventListener("pageshow", (event) => { if (event.persisted) tell("open"); });
    addEventListener("pagehide", () => tell("close"));
    addEventListener("visibilitychange", () => { if (!document.hidden) { tell("seen"); comeBack(); } });
  } catch {
    listenAlone(path);
  }
}

async function listenAlone(path) {
  const { Stream } = await import("./stream-worker.js").catch(() => ({})); // it could not be loaded
  if (!Stream) { heard({ kind: "lost" }); setTimeout(listen, 3000); return; }
  const stream = new Stream(path, heard);
  if (!document.hidden) stream.open();
  addEventListener("visibilitychange", () => {
    if (document.hidden) stream.close(); else { stream.open(); comeBack(); }
  });
}

function heard({ kind, data }) {
  if (kind === "lost" && !document.hidden) refresh(); // the table may have been deleted
  if (kind === "lost") { setLost("stream", true); return; }
  if (kind === "open") { if (setLost("stream", false)) comeBack(); return; }
  if (kind === "reaction") { caughtUp().then(() => showReaction(JSON.parse(data))); return; }
  // Ignore versions that the page already shows.
  const version = data && JSON.parse(data).version;
  if (version === undefined || version > Number(part.dataset.version)) refresh(version);
}
