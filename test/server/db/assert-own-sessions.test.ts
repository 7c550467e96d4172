import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { assertOwnSessions } from "../../../src/server/db/assert-own-sessions.ts";
import {
  DatabaseGivesTooFew,
  DatabaseIsPooled,
  DatabaseRefusesSettings,
} from "../../../src/server/db/database.errors.ts";
import { testPostgresUrl } from "../../support/database/postgres-server.ts";
import { runProgram } from "../../support/program/run-program.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

function message(type: string, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int32 = (value: number) => Buffer.from(new Uint8Array(new Int32Array([value]).buffer).reverse());
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const READY = message("Z", Buffer.from("I"));

/** One query's answer: a row with the process that serves it. */
function answerOf(pid: string): Buffer {
  const column = Buffer.concat([
    Buffer.from("pid\0"),
    int32(0),
    int16(0),
    int32(23),
    int16(4),
    int32(-1),
    int16(0),
  ]);
  return Buffer.concat([
    message("T", int16(1), column),
    message("D", int16(1), int32(pid.length), Buffer.from(pid)),
    message("C", Buffer.from("SELECT 1\0")),
    READY,
  ]);
}

/** The startup message of PostgreSQL's protocol names the settings in clear. */
interface Session {
  startup: string;
  /** A place of its own for each connection, from 0. */
  place: number;
}

/** A substitute for a pooler: `backendOf` says which process serves a query, undefined for none. */
async function servePooler({
  backendOf,
  refuses = () => undefined,
}: {
  backendOf: (session: Session) => number | undefined;
  refuses?: (session: Session) => string | undefined;
}) {
  let places = 0;
  const pooler = createServer((socket) => {
    let session: Session | undefined;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (!session) {
        session = { startup: bytes.toString("latin1"), place: places++ };
        const refusal = refuses(session);
        if (refusal) socket.end(message("E", Buffer.from(`SFATAL\0C08P01\0M${refusal}\0\0`)));
        else socket.write(Buffer.concat([message("R", int32(0)), READY]));
      } else if (bytes[0] === 0x51) {
        const backend = backendOf(session);
        if (backend !== undefined) socket.write(answerOf(String(backend)));
      }
    });
  });
  await new Promise<void>((listening) => pooler.listen(0, "127.0.0.1", listening));
  const address = pooler.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `postgres://somebody@127.0.0.1:${port}/exameteca`,
    [Symbol.dispose]: () => void pooler.close(),
  };
}

const alternateAmong = (backends: number) => {
  let asked = 0;
  return () => 4711 + (asked++ % backends);
};

for (const backends of [1, 2, 3, 4, 6, 20]) {
  test(`a pooler that lends ${backends} in turn to several clients is refused at the start, in plain words`, async () => {
    using pooler = await servePooler({ backendOf: alternateAmong(backends) });
    const refusal = assertOwnSessions(pooler.url);
    await expect(refusal).rejects.toThrow(DatabaseIsPooled);
    await expect(refusal).rejects.toThrow("pool_mode=session");
  });
}

test("the program prints this refusal at its start, and exits", async () => {
  using pooler = await servePooler({ backendOf: alternateAmong(2) });
  await using folder = createTempFolder();
  const env = { DATA_DIR: folder.path, DATABASE_URL: pooler.url, PORT: "0" };
  const { code, complaint } = await runProgram(env);
  expect([code, complaint]).toEqual([1, `${new DatabaseIsPooled().message}\n`]);
});

test("a restore, which locks in its session, refuses it before it writes anything", async () => {
  using pooler = await servePooler({ backendOf: alternateAmong(2) });
  await using folder = createTempFolder();
  const env = { DATA_DIR: join(folder.path, "data"), DATABASE_URL: pooler.url };
  const { code, complaint } = await runProgram(env, "restore", join(folder.path, "backup"));
  expect([code, complaint]).toEqual([1, `${new DatabaseIsPooled().message}\n`]);
  expect(existsSync(env.DATA_DIR)).toBe(false);
});

test("a pooler that shows its sharing only after many rounds is still refused", async () => {
  let asked = 0;
  using pooler = await servePooler({ backendOf: ({ place }) => (asked++ < 60 ? 4711 + place : 4711) });
  await expect(assertOwnSessions(pooler.url)).rejects.toThrow(DatabaseIsPooled);
});

test("a pooler that keeps sessions is accepted if it accepts our settings, else the refusal names the setting", async () => {
  const backendOf = ({ place }: Session) => 4711 + place;
  using willing = await servePooler({ backendOf });
  await assertOwnSessions(willing.url);
  const refuses = ({ startup }: Session) =>
    startup.includes("statement_timeout") ? "unsupported startup parameter: statement_timeout" : undefined;
  using unwilling = await servePooler({ backendOf, refuses });
  const refusal = assertOwnSessions(unwilling.url);
  await expect(refusal).rejects.toThrow(DatabaseRefusesSettings);
  await expect(refusal).rejects.toThrow("ignore_startup_parameters=statement_timeout");
});

test("a pooler that keeps the second connection waiting for the first is refused as too small", async () => {
  using pooler = await servePooler({ backendOf: ({ place }) => (place === 0 ? 4711 : undefined) });
  await expect(assertOwnSessions(pooler.url, { timeoutMs: 300 })).rejects.toThrow(DatabaseGivesTooFew);
});

test("PostgreSQL itself is accepted", async () => {
  await assertOwnSessions(await testPostgresUrl());
});
