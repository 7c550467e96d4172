import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { findConnection } from "../../../src/server/http/client-connection.ts";
import { type Recheck, whileAllowed } from "../../../src/server/http/while-allowed.ts";
import { getSlowly } from "../../support/app/slow-reader.ts";
import { until } from "../../support/until.ts";

/** More than what the system takes from one end before the other reads. */
const SIZE_BYTES = 64 * 1024 * 1024;
let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "while-allowed-"));
  path = join(folder, "file");
  await using file = await open(path, "w");
  await file.truncate(SIZE_BYTES);
});
afterAll(() => rm(folder, { recursive: true }));

/** Sends the file to one reader, of whom `recheck` is asked. */
function serve(recheck: Recheck, { hostname = "127.0.0.1", sizeBytes = SIZE_BYTES } = {}) {
  const app = new Hono().get("/", (c) => {
    const body = Bun.file(path).slice(0, sizeBytes);
    const headers = { "Content-Length": String(sizeBytes) };
    return whileAllowed(c, new Response(body, { status: 206, headers }), recheck);
  });
  return Bun.serve({ hostname, port: 0, fetch: (request, server) => app.fetch(request, { server }) });
}

test.each(["127.0.0.1", "::1", "::"])(
  "one large file breaks off where its reader is refused (%s)",
  async (hostname) => {
    const asked = Promise.withResolvers<void>();
    const server = serve(
      async () => {
        asked.resolve();
        throw new Error("refused");
      },
      { hostname },
    );
    const reader = await getSlowly(
      `http://127.0.0.1:${server.port}/`.replace("127.0.0.1", hostname === "::1" ? "[::1]" : "127.0.0.1"),
    );
    await asked.promise;
    const { lengthBytes, readBytes } = await reader.rest();
    expect(lengthBytes).toBe(SIZE_BYTES);
    expect(readBytes).toBeLessThan(SIZE_BYTES);
    await server.stop(true);
  },
);

test("one large file is sent whole while its reader may have it", async () => {
  const asked = Promise.withResolvers<void>();
  const server = serve(async () => asked.resolve());
  const reader = await getSlowly(server.url.href);
  await asked.promise;
  expect(await reader.rest()).toEqual({ lengthBytes: SIZE_BYTES, readBytes: SIZE_BYTES });
  await server.stop(true);
});

test("a small file leaves its connection open", async () => {
  const server = serve(
    async () => {
      throw new Error("asked");
    },
    { sizeBytes: 1024 * 1024 },
  );
  const answer = await fetch(server.url);
  expect(answer.headers.get("connection")).not.toBe("close");
  expect((await answer.bytes()).length).toBe(1024 * 1024);
  await server.stop(true);
});

test("the connection of an answer is that of its reader alone, and known to be gone once it is", async () => {
  const found = Promise.withResolvers<ReturnType<typeof findConnection>>();
  const app = new Hono()
    .get("/one", (c) => {
      found.resolve(findConnection(c));
      return new Response("one", { headers: { Connection: "close" } });
    })
    .get("/other", () => new Response("other"));
  const server = Bun.serve({ port: 0, fetch: (request, server) => app.fetch(request, { server }) });
  const other = await fetch(`${server.url}other`);
  await (await fetch(`${server.url}one`)).text();
  const connection = await found.promise;
  await until(() => !connection?.isOpen());
  connection?.end();
  expect(await other.text()).toBe("other");
  expect(connection?.isOpen()).toBe(false);
  await server.stop(true);
});
