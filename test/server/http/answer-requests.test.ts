import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { answerRequests } from "../../../src/server/http/answer-requests.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
let person: Person;
let server: Bun.Server<undefined>;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  person = await t.addPerson("Sem Nome de Servidor");
  const fetch = answerRequests(t.app, "https://exames.example");
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
});
afterAll(async () => {
  await server.stop(true);
  await t[Symbol.asyncDispose]();
});

const send = (...lines: string[]) => sendTo(server.port, ...lines);

/** What comes back on a connection of its own, until the server closes it. */
function sendTo(port = 0, ...lines: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(lines.join("\r\n")));
  socket.on("data", (bytes) => {
    answer += bytes.toString();
  });
  socket.on("error", reject);
  socket.on("close", () => resolve(answer));
  return promise;
}

test("a load balancer that names no host, as HTTP/1.0 allows, is told that the server is ready", async () => {
  expect(await send("GET /api/health HTTP/1.0", "", "")).toMatch(/^HTTP\/1.1 200 .*"status":"ok"/s);
  expect(await send("HEAD /api/health HTTP/1.0", "", "")).toStartWith("HTTP/1.1 200 ");
  expect(await send("GET /api/health HTTP/1.1", "Host:", "Connection: close", "", "")).toStartWith(
    "HTTP/1.1 200 ",
  );
});

test("a client without a host searches and sends a body", async () => {
  const bearer = `Authorization: Bearer ${person.token}`;
  expect(await send("GET /dicomweb/studies?limit=1 HTTP/1.0", bearer, "", "")).toStartWith("HTTP/1.1 204 ");
  const body = JSON.stringify({ email: person.email, password: "wrong" });
  const signIn = ["Content-Type: application/json", `Content-Length: ${body.length}`, "", body];
  expect(await send("POST /api/auth/login HTTP/1.0", ...signIn)).toStartWith("HTTP/1.1 401 ");
});

test("a client that ends its connection is told that it ends, whatever the answer, and no other one", async () => {
  const ask = async (method: string, path: string, ...more: string[]) => {
    const [head = ""] = (await send(`${method} ${path} HTTP/1.1`, "Host: a", ...more, "", "")).split(
      "\r\n\r\n",
    );
    return head.toLowerCase();
  };
  for (const path of ["/api/health", "/api/openapi.json", "/dicomweb/studies", "/api/nothing"])
    for (const method of ["GET", "HEAD", "PUT"])
      expect(await ask(method, path, "Connection: close"), `${method} ${path}`).toContain(
        "\r\nconnection: close",
      );
  expect(await ask("GET", "/api/health", "Connection: keep-alive, Close")).toContain("\r\nconnection: close");
  const { headers } = await fetch(`http://127.0.0.1:${server.port}/api/health`);
  expect(headers.get("connection")).not.toBe("close");
});

test("a Host that is none is 400", async () => {
  for (const host of ["a b", "[::1", "exames.example:99999", "a/b"])
    expect(
      await send("GET /dicomweb/studies HTTP/1.1", `Host: ${host}`, "Connection: close", "", ""),
    ).toStartWith("HTTP/1.1 400 ");
});

test("a client without a host is known by its address, and its path names no other server", async () => {
  await using other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: answerRequests(
      { fetch: (request, env) => Response.json([request.url, env.server.requestIP(request)?.address]) },
      "https://exames.example",
    ),
  });
  const answer = await sendTo(other.port, "GET //elsewhere.example/?a=b HTTP/1.0", "", "");
  expect(answer).toEndWith('["https://exames.example//elsewhere.example/?a=b","127.0.0.1"]');
});

/** What buffers take that are still in use. */
function heldBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().external;
}

test("a long body of a client without a host is not kept in memory", async () => {
  const LENGTH = 96 * 1024 * 1024;
  const piece = new Uint8Array(1024 * 1024);
  await using other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: answerRequests(
      {
        async fetch(request) {
          const before = heldBytes();
          let length = 0;
          for await (const bytes of request.body ?? []) length += bytes.length;
          return Response.json({ length, isKept: heldBytes() - before > LENGTH / 2 });
        },
      },
      "https://exames.example",
    ),
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(other.port ?? 0, "127.0.0.1");
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes.toString();
  });
  socket.on("error", reject);
  socket.on("close", () => resolve(answer));
  socket.write(`POST / HTTP/1.0\r\nContent-Length: ${LENGTH}\r\n\r\n`);
  for (let sent = 0; sent < LENGTH; sent += piece.length)
    if (!socket.write(piece)) await once(socket, "drain");
  expect(await promise).toEndWith(JSON.stringify({ length: LENGTH, isKept: false }));
});
