import { connect } from "node:net";
import type { Person, TestApp } from "./test-app.ts";

export interface RawAnswer {
  status: number;
  body: string;
  /** Bytes of the body sent before the answer came. */
  sentBytes: number;
}

const PART_HEAD =
  '--edge\r\nContent-Disposition: form-data; name="zipFile"; filename="a.zip"\r\nContent-Type: application/zip\r\n\r\n';
const PART_END = "\r\n--edge--\r\n";
const GIVEN_UP_MS = 20_000;

/** Serves an app as it is on a port of its own. */
export function serveApp(t: TestApp): { port: number } & AsyncDisposable {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    maxRequestBodySize: 4 * 1024 ** 3,
    fetch: (request, bunServer) => t.app.fetch(request, { server: bunServer }),
  });
  return { port: server.port ?? 0, [Symbol.asyncDispose]: () => server.stop(true) };
}

/**
 * Uploads a file by hand, over a socket: `pieces` in chunks, without a length, or after a `contentLength` that may be false. The
 * sender stops when the answer comes.
 */
export async function uploadRaw(
  port: number,
  person: Person,
  pieces: Iterable<Uint8Array>,
  contentLength?: number,
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let sentBytes = 0;
  socket.setTimeout(GIVEN_UP_MS, () => reject(new Error("no answer")));
  socket.on("error", (error) => (received === "" ? reject(error) : finish()));
  socket.on("close", () => finish());
  const finish = () => {
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
    resolve({ status, body: received.slice(received.indexOf("\r\n\r\n") + 4), sentBytes });
  };
  socket.on("data", (data) => {
    received += data.toString("utf8");
    if (received.includes("\r\n\r\n")) socket.end();
  });
  const framed = (bytes: Uint8Array) =>
    contentLength === undefined
      ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])
      : bytes;
  const length =
    contentLength === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${contentLength}`;
  socket.write(
    `POST /api/upload-dicom HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${person.token}\r\nAccept-Language: en-US\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=edge\r\n${length}\r\n\r\n`,
  );
  const send = async () => {
    socket.write(framed(Buffer.from(PART_HEAD)));
    for (const piece of pieces) {
      if (received !== "" || socket.destroyed) return;
      if (!socket.write(framed(piece))) await Promise.race([drained(socket), promise]);
      sentBytes += piece.length;
    }
    socket.write(framed(Buffer.from(PART_END)));
    if (contentLength === undefined) socket.write("0\r\n\r\n");
  };
  void send();
  return await promise;
}

function drained(socket: ReturnType<typeof connect>): Promise<void> {
  return new Promise((resolve) => socket.once("drain", () => resolve()));
}
