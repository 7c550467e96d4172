import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";
import { paddedEntry, zipOf } from "../../support/zip/bombs.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

const BOUNDARY = "a-boundary-no-zip-holds";
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="zipFile"; filename="exames.zip"\r\nContent-Type: application/zip\r\n\r\n`;

let t: TestApp;
let server: ReturnType<typeof Bun.serve>;
let tricklers: Person[];
let honest: Person;
const sockets: Socket[] = [];

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 120,
    fetch: (request, bunServer) => t.app.fetch(request, { server: bunServer }),
  });
  tricklers = [];
  for (let n = 0; n < 6; n++) tricklers.push(await t.addPerson(`Lento ${n}`, { plan: "avaliacao" }));
  honest = await t.addPerson("Dona Honesta");
}, 240_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop(true);
  await t[Symbol.asyncDispose]();
});

/** Begins an upload on a socket of its own, and sends no more than a byte of its file. */
async function trickle({ token }: Person): Promise<void> {
  const socket = connect(Number(server.port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(
    `POST /api/upload-dicom HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 1000000\r\n\r\n${HEAD}P`,
  );
}

async function receiving(): Promise<number> {
  const [row] = await t.sql`select count(*)::int as uploads from uploads where state = 'receiving'`;
  return row?.uploads;
}

test("66 uploads of six trial accounts that send a byte each do not keep others out", async () => {
  for (const [at, person] of tricklers.entries()) {
    // More concurrent ones are told to retry: their bodies would stay unread while their senders are looked up.
    for (let n = 0; n < 11; n++) await trickle(person);
    await until(async () => (await receiving()) === 11 * (at + 1));
  }
  expect((await t.upload(honest, sampleZip({ study: "1" }))).status).toBe(201);
  expect(await receiving()).toBe(66);
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(async () => (await receiving()) === 0);
}, 240_000);

const BOMB_BYTES = 500 * 1024 * 1024;

test("a small upload overtakes the bombs of six other accounts", async () => {
  // Half a megabyte, whose one instance is followed by half a gigabyte of zeros.
  const bomb = zipOf([paddedEntry(sampleInstance({ study: "2" }), BOMB_BYTES)]);
  const stop = new AbortController();
  let answered = 0;
  const bombs = tricklers.flatMap((person) =>
    Array.from({ length: 2 }, async () => {
      const form = new FormData();
      form.set("zipFile", new File([Uint8Array.from(bomb)], "exames.zip"));
      const answer = await fetch(`${server.url.origin}/api/upload-dicom`, {
        method: "POST",
        headers: { authorization: `Bearer ${person.token}` },
        body: form,
        signal: stop.signal,
      });
      answered++;
      return answer.status;
    }),
  );
  const settled = Promise.allSettled(bombs);
  await until(async () => (await receiving()) === bombs.length);
  for (let study = 3; study < 6; study++) {
    expect((await t.upload(honest, sampleZip({ study: String(study) }))).status).toBe(201);
  }
  expect(answered).toBeLessThan(bombs.length / 2);
  stop.abort();
  await settled;
  await until(async () => (await receiving()) === 0);
}, 240_000);
