import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { accessOf } from "../../../src/server/http/guard.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { spawnServer } from "../../support/program/server-process.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 ** 2;
const FORM_BYTES = 6 * MIB;
const HELD = 400;
/** They send 800 MiB. A busy machine collects late, which has cost 115. */
const MAX_HELD_MEMORY_BYTES = 200 * MIB;

let t: TestApp;
let user: Person;
let holder: Person;
let server: ReturnType<typeof Bun.serve>;
const sockets = new Set<Socket>();

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  user = await t.addPerson("Quem Escreve");
  holder = await t.addPerson("Quem Segura");
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: 2 ** 31,
    fetch: (request, bunServer) => t.app.fetch(request, { server: bunServer }),
  });
}, 240_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop(true);
  await t[Symbol.asyncDispose]();
});

/** A request of which only the head and `part` come; resolves with its status, once there is one. */
function hold(head: string, part: string | Uint8Array): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connect(server.port ?? 0, "127.0.0.1");
  sockets.add(socket);
  socket.on("error", () => resolve(0));
  socket.on("close", () => resolve(0));
  socket.on("data", (bytes) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(bytes.toString("latin1"))?.[1])));
  socket.write(head);
  socket.write(part);
  return promise;
}

function head(path: string, headers: Record<string, string>, method = "POST"): string {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

/** Announces 6 MB on each connection, sends 2, and reports when the kernel has accepted all it can. */
const SENDERS = `
  const { connect } = require("node:net");
  const part = Buffer.concat([
    Buffer.from('--b\\r\\nContent-Disposition: form-data; name="image"; filename="a.png"\\r\\n\\r\\n'),
    Buffer.alloc(${2 * MIB}, 97),
  ]);
  for (let i = 0; i < Number(process.env.HELD); i++) {
    const socket = connect(Number(process.env.PORT), "127.0.0.1").on("error", () => {});
    socket.write("POST /api/support/send HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n" +
      'Content-Type: multipart/form-data; boundary="b"\\r\\nContent-Length: ${FORM_BYTES}\\r\\n\\r\\n');
    socket.write(part);
  }
  setTimeout(() => console.log("held"), 1500);
`;
const formHead = 'multipart/form-data; boundary="b"';
const imagePart = '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n';

async function sendMessage(url: string): Promise<number> {
  const fields = { subject: "Assunto", message: "Texto", userEmail: "ana@example.com", userName: "Ana" };
  const { body, headers } = await formBody(fields);
  const answer = await fetch(new URL("/api/support/send", url), { method: "POST", body, headers });
  return answer.status;
}

describe("bodies that are begun and held", () => {
  test("take little memory and don't keep a support message out, however many there are", async () => {
    // A server of its own: this process holds what other tests left, too.
    await using folder = createTempFolder();
    chmodSync(folder.path, 0o711); // root's PostgreSQL runs as another account
    await using alone = await spawnServer(join(folder.path, "data"));
    expect(await sendMessage(alone.url)).toBe(201); // loads what every message needs
    const before = memoryOf(alone.pid);
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, memoryOf(alone.pid));
    }, 20);
    await using senders = Bun.spawn([process.execPath, "-e", SENDERS], {
      env: { ...process.env, PORT: new URL(alone.url).port, HELD: String(HELD) },
      stdout: "pipe",
    });
    for await (const _word of senders.stdout) break;
    expect(await sendMessage(alone.url)).toBe(201);
    clearInterval(watching);
    expect(most - before).toBeLessThan(MAX_HELD_MEMORY_BYTES);
  }, 240_000);

  test("of JSON don't keep a sign-in out", async () => {
    const headers = { "content-type": "application/json", "content-length": String(250_000) };
    const long = Array.from({ length: 200 }, () =>
      hold(head("/api/auth/login", headers), `{"email":"${"a".repeat(100_000)}`),
    );
    for (let i = 0; i < 100; i++)
      void hold(head("/api/auth/login", { ...headers, "content-length": "16000" }), `{"email":"`);
    expect(await Promise.race(long)).toBe(429); // every slot for long bodies is taken
    const answer = await fetch(new URL("/api/auth/login", server.url), {
      method: "POST",
      body: JSON.stringify({ email: user.email, password: user.password }),
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(200);
  });

  test("that are not allowed are answered before they arrive, on every route", async () => {
    for (const { method, path, handler } of t.app.routes) {
      const access = accessOf(handler);
      if (!access || !["POST", "PATCH", "PUT"].includes(method)) continue;
      const concrete = path.replace(/:[A-Za-z]+(\{.*\})?/g, "01890000-0000-7000-8000-000000000000");
      const isForm = /upload|support/.test(path);
      const type = isForm ? formHead : "application/json";
      // Without a session, or with a body longer than any route accepts.
      const sizes = access === "public" ? [51 * MIB + FORM_BYTES] : [1000, 2 ** 30];
      for (const size of sizes) {
        const headers = { "content-type": type, "content-length": String(size) };
        const status = await hold(head(concrete, headers, method), "");
        expect([`${method} ${path}`, [401, 404, 413].includes(status), status]).toEqual([
          `${method} ${path}`,
          true,
          status,
        ]);
      }
    }
  });

  test("of PDF forms leave room for other accounts, yield to their own sender, and leave no file behind", async () => {
    const { body, headers } = await formBody(
      { examName: "Hemograma", modality: "LAB" },
      { name: "file", bytes: samplePdf() },
    );
    const held = {
      authorization: `Bearer ${holder.token}`,
      "content-type": formHead,
      "content-length": String(40 * MIB),
    };
    const filePart = imagePart.replace("image", "file");
    for (let i = 0; i < 6; i++) void hold(head("/api/exams-lab/upload", held), filePart);
    for (const { token } of [user, holder]) {
      const answer = await fetch(new URL("/api/exams-lab/upload", server.url), {
        method: "POST",
        body,
        headers: { ...headers, authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(201);
    }
    for (const socket of sockets) socket.destroy();
    await until(() => !readdirSync(t.deps.node.stagingDir).some((name) => name.startsWith("form-")));
  });

  test("of requests that only read are refused, and take no place from real uploads", async () => {
    for (const [name, value] of [
      ["content-length", "100000"],
      ["transfer-encoding", "chunked"],
    ] as const) {
      const headers = { authorization: `Bearer ${user.token}`, [name]: value };
      for (const method of ["GET", "HEAD"]) {
        expect([method, await hold(head("/api/studies", headers, method), "1")]).toEqual([method, 413]);
      }
    }
  });

  test("that end early are reported, and those too long refused, even without a length", async () => {
    const chunked = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const long = "x".repeat(300_000);
    const tooLong = `${long.length.toString(16)}\r\n${long}\r\n`;
    expect(await hold(head("/api/auth/login", chunked), tooLong)).toBe(413);
    const cut = `${imagePart}abc`;
    const headers = { "content-type": formHead, "content-length": String(cut.length) };
    expect(await hold(head("/api/support/send", headers), cut)).toBe(400);
  });
});
