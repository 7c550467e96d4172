import { connect } from "node:net";

export interface SlowReader {
  /** Reads on until the connection ends; returns what the answer should have, and what came of it. */
  rest(): Promise<{ lengthBytes: number; readBytes: number }>;
}

/** Sends GET on a connection of its own, and reads the headers with what comes along; no `fetch` makes a server wait. */
export async function getSlowly(url: string, headers: Record<string, string> = {}): Promise<SlowReader> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ""));
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let bytes = 0;
  let headersBytes = 0;
  let lengthBytes = Number.NaN;
  const begun = new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("data", (first) => {
      const text = first.toString("latin1");
      headersBytes = text.indexOf("\r\n\r\n") + 4;
      lengthBytes = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]);
      socket.pause();
      resolve();
    });
  });
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  await begun;
  return {
    async rest() {
      socket.resume();
      await ended;
      return { lengthBytes, readBytes: bytes - headersBytes };
    },
  };
}
