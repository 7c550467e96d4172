import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { S3ClientOptions } from "../../../src/server/storage/s3/s3-client.ts";
import { createBucket } from "./s3-bucket.ts";
import { isSignedWith } from "./s3-signature.ts";

/** A fault of a request; an answer cut after so many bytes is otherwise right. */
export type Fault =
  | { status: number; code: string }
  | "reset"
  | "stall"
  | { cutAfterBytes: number }
  /** Ends in good order, as if these were all the bytes: a chunked answer says no length. */
  | { endAfterBytes: number }
  /** Answers a byte at a time, each after so many milliseconds. */
  | { trickleMs: number }
  /** Carries the request out, then breaks the connection instead of answering. */
  | "lostAnswer";

export interface SeenRequest {
  method: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
}

export interface FaultyS3Server extends AsyncDisposable {
  options: S3ClientOptions;
  bucket: ReturnType<typeof createBucket>;
  seen: SeenRequest[];
  /** Asked before each request is answered. */
  fault: (request: SeenRequest) => Fault | undefined;
  /** Waited for before a request is carried out: makes the store slow. */
  pause: (request: SeenRequest) => Promise<void>;
}

/**
 * A versioned bucket on loopback that checks signatures and fails when told to. Like Backblaze B2 it refuses
 * checksum headers.
 */
export async function startFaultyS3Server(): Promise<FaultyS3Server> {
  const bucket = createBucket();
  const http = createServer((request, response) => {
    answer(server, request, response).catch(() => response.socket?.destroy());
  });
  const sockets = new Set<Socket>();
  http.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const server: FaultyS3Server = {
    bucket,
    seen: [],
    fault: () => undefined,
    pause: async () => {},
    options: {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: "us-east-1", bucket: "bucket" },
      ...{ accessKeyId: "key", secretAccessKey: "secret", retryDelayMs: 1, retries: 3 },
    },
    async [Symbol.asyncDispose]() {
      http.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return server;
}

async function answer(
  server: FaultyS3Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "", "http://localhost");
  const key = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ""));
  const seen = { method: request.method ?? "", key, query: url.searchParams, headers: request.headers };
  server.seen.push(seen);
  const isSigned = isSignedWith(server.options.secretAccessKey, request);
  const fault = isSigned ? server.fault(seen) : { status: 403, code: "SignatureDoesNotMatch" };
  if (fault === "reset") return void request.socket.destroy();
  const pieces: Uint8Array[] = [];
  for await (const piece of request) pieces.push(piece);
  if (fault === "stall") return;
  await server.pause(seen);
  if (typeof fault === "object" && "status" in fault) {
    response
      .writeHead(fault.status)
      .end(seen.method === "HEAD" ? "" : `<Error><Code>${fault.code}</Code></Error>`);
    return;
  }
  const { status, headers, body } = server.bucket.handle(seen, Buffer.concat(pieces));
  if (fault === "lostAnswer") return void request.socket.destroy();
  if (typeof fault === "object" && "endAfterBytes" in fault) {
    response.writeHead(status, { ...headers, "transfer-encoding": "chunked" });
    return void response.end(body.subarray(0, fault.endAfterBytes));
  }
  response.writeHead(status, { "content-length": body.length, ...headers });
  if (!fault) return void response.end(seen.method === "HEAD" ? undefined : body);
  if ("trickleMs" in fault) return await trickle(response, body, fault.trickleMs);
  response.write(body.subarray(0, fault.cutAfterBytes), () => request.socket.destroy());
}

async function trickle(response: ServerResponse, body: Uint8Array, everyMs: number): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at++) {
    response.write(body.subarray(at, at + 1));
    await Bun.sleep(everyMs);
  }
  response.end();
}
