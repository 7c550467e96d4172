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
const GIVEN_UP_SECONDS = 120;

/** Serves an app as it is on a port of its own. */
export function serveApp(t: TestApp): { port: number } & AsyncDisposable {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    maxRequestBodySize: 4 * 1024 ** 3,
    idleTimeout: GIVEN_UP_SECONDS,
    fetch: (request, bunServer) => t.app.fetch(request, { server: bunServer }),
  });
  return { port: server.port ?? 0, [Symbol.asyncDispose]: () => server.stop(true) };
}

/**
 * Uploads a file by hand, over a socket: `pieces` in chunks, without a length, or after a `contentLength` that may be false. The
 * sender stops when the answer comes. A server that refuses a body closes the connection while more of it arrives, which
 * breaks a later write; this socket still delivers the answer that came before, where one of `node:net` fails with EPIPE.
 */
export async function uploadRaw(
  port: number,
  person: Person,
  pieces: Iterable<Uint8Array>,
  contentLength?: number,
): Promise<RawAnswer> {
  const closed = Promise.withResolvers<void>();
  let drained = Promise.withResolvers<void>();
  let received = "";
  let sentBytes = 0;
  let isClosed = false;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(open, bytes) {
        received += bytes.toString("utf8");
        if (received.includes("\r\n\r\n")) open.end();
      },
      drain() {
        drained.resolve();
        drained = Promise.withResolvers();
      },
      timeout: (open) => void open.terminate(),
      error() {},
      close() {
        isClosed = true;
        closed.resolve();
      },
    },
  });
  socket.timeout(GIVEN_UP_SECONDS);
  const mayWrite = () => received === "" && !isClosed;
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length && mayWrite(); ) {
      // Negative once the server has closed its side.
      at += Math.max(0, socket.write(bytes.subarray(at)));
      if (at < bytes.length && mayWrite()) await Promise.race([drained.promise, closed.promise]);
    }
  };
  const isChunked = contentLength === undefined;
  const writePart = async (bytes: Uint8Array) => {
    if (isChunked) await write(Buffer.from(`${bytes.length.toString(16)}\r\n`));
    await write(bytes);
    if (isChunked) await write(Buffer.from("\r\n"));
  };
  const length = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${contentLength}`;
  await write(
    Buffer.from(
      `POST /api/upload-dicom HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${person.token}\r\nAccept-Language: en-US\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=edge\r\n${length}\r\n\r\n`,
    ),
  );
  await writePart(Buffer.from(PART_HEAD));
  for (const piece of pieces) {
    if (!mayWrite()) break;
    await writePart(piece);
    sentBytes += piece.length;
  }
  await writePart(Buffer.from(PART_END));
  if (isChunked) await write(Buffer.from("0\r\n\r\n"));
  await closed.promise;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]);
  if (!status) throw new Error("no answer");
  return { status, body: received.slice(received.indexOf("\r\n\r\n") + 4), sentBytes };
}
