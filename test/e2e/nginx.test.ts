import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { hasNginx, startNginx } from "../support/network/balancer.ts";
import { until } from "../support/until.ts";

const PIECE = new Uint8Array(64 * 1024);
/** More than what lies in sockets. */
const LONG_PIECES = 2_000;

/** Tells its port, and begins an answer that it never ends. */
const ENDLESS_NODE = `
  const body = () => new ReadableStream({
    start: (sink) => sink.enqueue("beginning".repeat(20_000)),
    pull: () => new Promise(() => {}),
  });
  const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body()) });
  process.stdout.write(String(port));
`;

/** A node, as far as a proxy sees one, and nginx before it. */
async function behindNginx(answer: (request: Request) => Response | Promise<Response>) {
  await using starting = new AsyncDisposableStack();
  const node = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  starting.defer(() => node.stop(true));
  const nginx = starting.use(await startNginx({ nodes: [`127.0.0.1:${node.port}`] }));
  const held = starting.move();
  return { node, url: nginx.url, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

function piecesOf(pull: () => Promise<Uint8Array | undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await pull();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

describe.skipIf(!hasNginx)("behind nginx with deploy/nginx.conf", () => {
  test("a download whose node is killed does not look whole", async () => {
    await using held = new AsyncDisposableStack();
    const node = Bun.spawn([process.execPath, "-e", ENDLESS_NODE], { stdout: "pipe" });
    held.defer(() => node.kill("SIGKILL"));
    const { value: port } = await node.stdout.getReader().read();
    const nginx = held.use(await startNginx({ nodes: [`127.0.0.1:${Buffer.from(port ?? []).toString()}`] }));
    // Bun's own clients take a body that lacks its last chunk for whole.
    const socket = connect(Number(new URL(nginx.url).port), "127.0.0.1");
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
    });
    socket.on("close", () => end());
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await until(() => received.includes("beginning"));
    node.kill("SIGKILL");
    await ended;
    expect(received).not.toEndWith("\r\n0\r\n\r\n");
  });

  test("a download is read as fast as its client takes it", async () => {
    let sent = 0;
    await using front = await behindNginx(
      () => new Response(piecesOf(async () => (sent++ < LONG_PIECES ? PIECE : undefined))),
    );
    const answer = await fetch(front.url);
    const reader = answer.body?.getReader();
    await reader?.read();
    await Bun.sleep(1_000);
    expect(sent).toBeLessThan(LONG_PIECES / 2);
    await reader?.cancel();
  });

  test("the program learns the name that was asked for, and the client's address only from nginx", async () => {
    await using front = await behindNginx((request) =>
      Response.json([request.headers.get("host"), request.headers.get("x-forwarded-for")]),
    );
    const headers = { host: "visor.example.com", "x-forwarded-for": "192.0.2.1" };
    const answer = await fetch(front.url, { headers });
    expect(await answer.json()).toEqual(["visor.example.com", "127.0.0.1"]);
  });

  test("a body of any length passes as it comes", async () => {
    const began = Promise.withResolvers<void>();
    let came = 0;
    await using front = await behindNginx(async (request) => {
      for await (const piece of request.body ?? []) {
        came += piece.length;
        began.resolve();
      }
      return new Response();
    });
    const goesOn = Promise.withResolvers<Uint8Array>();
    const pieces = [Promise.resolve(PIECE), goesOn.promise];
    const answer = fetch(front.url, { method: "POST", body: piecesOf(async () => await pieces.shift()) });
    await began.promise;
    expect(came).toBeLessThanOrEqual(PIECE.length);
    goesOn.resolve(new Uint8Array(60 * 1024 * 1024));
    expect((await answer).status).toBe(200);
    expect(came).toBe(PIECE.length + 60 * 1024 * 1024);
  });
});
