// A shared worker with one event stream per table for all tabs of a browser. If the browser has no
// shared workers, a tab uses the class `Stream` directly.

const EVENTS = ["move", "version", "seats", "undo", "notice", "again", "start", "talk", "reaction"];

export class Stream {
  constructor(path, tell) {
    this.path = path;
    this.tell = tell;
    this.pause = 500;
  }

  open() {
    if (this.source) return;
    clearTimeout(this.timer);
    const source = (this.source = new EventSource(this.path));
    source.onopen = () => { this.pause = 500; this.tell({ kind: "open", path: this.path }); };
    source.onerror = () => {
      this.tell({ kind: "lost", path: this.path });
      // Reconnect here, because a browser does not reconnect after a status other than 200.
      if (source.readyState === 2) this.retry();
    };
    const heard = (event) => this.tell({ kind: event.type, path: this.path, data: event.data });
    for (const name of ["message", ...EVENTS]) source.addEventListener(name, heard);
  }

  retry() {
    this.close();
    this.timer = setTimeout(() => this.open(), this.pause * (0.75 + Math.random() / 2));
    this.pause = Math.min(this.pause * 2, 15000);
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}

// Maximum number of open streams. A browser opens only six connections to a server, and pages need
// some of them.
const MAX_STREAMS = 3;
const streams = new Map(); // the stream and the tabs of each path; the most recently visible comes last

function opened(path, port) {
  const tabs = streams.get(path)?.tabs ?? new Set();
  const stream = streams.get(path)?.stream ?? new Stream(path, (news) => tabs.forEach((tab) => tab.postMessage(news)));
  streams.delete(path);
  if (stream.source && !tabs.has(port)) port.postMessage({ kind: "version", path }); // a new tab has missed earlier events
  streams.set(path, { stream, tabs: tabs.add(port) });
  const open = [...streams.values()].slice(-MAX_STREAMS);
  for (const one of streams.values()) if (!open.includes(one)) one.stream.close();
  stream.open();
}

function closed(path, port) {
  const one = streams.get(path);
  one?.tabs.delete(port);
  if (one && !one.tabs.size) { one.stream.close(); streams.delete(path); }
}

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: { what, path } }) => {
    if (what === "close") closed(path, port); else opened(path, port);
  };
};
