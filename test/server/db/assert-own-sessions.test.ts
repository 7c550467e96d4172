import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { assertOwnSessions, DatabaseIsPooled } from "../../../src/server/db/assert-own-sessions.ts";
import { testPostgresUrl } from "../../support/postgres-server.ts";

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

test("a pooler that lends one connection to several clients is refused at the start, in plain words", async () => {
  const pooler = createServer((socket) => {
    let isStarted = false;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message("R", int32(0)), READY]));
      } else if (bytes[0] === 0x51) socket.write(answerOf("4711"));
    });
  });
  await new Promise<void>((listening) => pooler.listen(0, "127.0.0.1", listening));
  try {
    const address = pooler.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const refusal = assertOwnSessions(`postgres://somebody@127.0.0.1:${port}/exameteca`);
    await expect(refusal).rejects.toThrow(DatabaseIsPooled);
    await expect(refusal).rejects.toThrow("pool_mode=session");
  } finally {
    pooler.close();
  }
});

test("PostgreSQL itself is taken", async () => {
  await assertOwnSessions(await testPostgresUrl());
});
