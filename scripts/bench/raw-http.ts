import { connect, type Socket } from "node:net";

export interface RawRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /** Sent one after the other; files are read as they are sent. */
  body?: readonly (Uint8Array | { path: string })[];
  /** Whether the answer's body is wanted, not only its length. */
  keepBody?: boolean;
}

export interface RawAnswer {
  status: number;
  body: Uint8Array;
  bodyBytes: number;
  firstByteMs: number;
  totalMs: number;
}

/**
 * Sends one request on a new connection, byte by byte. The client costs almost nothing, so the figure is the server's. It
 * understands only answers with Content-Length or without content, as all answers of the bench are.
 */
export async function rawRequest(request: RawRequest): Promise<RawAnswer> {
  const { hostname, port, pathname, search, host } = new URL(request.url);
  const startedAt = performance.now();
  const socket = connect({ host: hostname, port: Number(port) });
  const answer = readAnswer(socket, request.keepBody ?? false, startedAt);
  answer.catch(() => {}); // awaited below
  const bodyBytes = (request.body ?? []).reduce((sum, part) => sum + sizeOf(part), 0);
  const headers = {
    Host: host,
    Connection: "close",
    ...(request.body && { "Content-Length": String(bodyBytes) }),
    ...request.headers,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  await write(
    socket,
    Buffer.from(`${request.method ?? "GET"} ${pathname}${search} HTTP/1.1\r\n${head.join("")}\r\n`),
  );
  for (const part of request.body ?? []) {
    if (part instanceof Uint8Array) await write(socket, part);
    else for await (const chunk of Bun.file(part.path).stream()) await write(socket, chunk);
  }
  return await answer;
}

function sizeOf(part: Uint8Array | { path: string }): number {
  return part instanceof Uint8Array ? part.length : Bun.file(part.path).size;
}

async function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      socket.off("drain", go);
      socket.off("close", go);
      resolve();
    };
    socket.once("drain", go);
    socket.once("close", go);
  });
}

function readAnswer(socket: Socket, keepBody: boolean, startedAt: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    let expected = -1;
    let status = 0;
    let bodyBytes = 0;
    let firstByteMs = 0;
    const kept: Uint8Array[] = [];
    const take = (bytes: Uint8Array) => {
      bodyBytes += bytes.length;
      if (keepBody) kept.push(Uint8Array.from(bytes));
      if (bodyBytes < expected) return;
      socket.destroy();
      const body = new Uint8Array(Buffer.concat(kept));
      resolve({ status, body, bodyBytes, firstByteMs, totalMs: performance.now() - startedAt });
    };
    socket.on("data", (chunk: Buffer) => {
      firstByteMs ||= performance.now() - startedAt;
      if (expected >= 0) return take(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const text = head.toString("latin1", 0, end);
      status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
      expected = status === 204 ? 0 : Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? Number.NaN);
      if (Number.isNaN(expected)) return reject(new Error(`no Content-Length in an answer ${status}`));
      take(head.subarray(end + 4));
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection early")));
  });
}
