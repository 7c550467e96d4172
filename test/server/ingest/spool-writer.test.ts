import { expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type SpoolRoom, SpoolWriter } from "../../../src/server/features/ingest/spool-writer.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const PIECE_BYTES = 2 * 1024 * 1024;

/** A room in which each write waits until the test lets it go on, or refuses it. */
function createGate() {
  const waiting: PromiseWithResolvers<void>[] = [];
  const room: SpoolRoom = {
    take() {
      const gate = Promise.withResolvers<void>();
      waiting.push(gate);
      return gate.promise;
    },
    wrote() {},
  };
  return { room, waiting };
}

const piece = (fill: number) => new Uint8Array(PIECE_BYTES).fill(fill);

test("the next bytes are collected while the former are written, and no more than these", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "bytes");
  await using file = await open(path, "wx");
  const { room, waiting } = createGate();
  await using writer = new SpoolWriter(file, room);
  const added: number[] = [];
  const add = async (fill: number) => {
    await writer.add(piece(fill));
    added.push(fill);
  };
  const all = [add(1), add(2)];
  await setImmediate();
  expect(added).toEqual([1]);
  waiting[0]?.resolve();
  await Promise.all(all);
  await setImmediate();
  waiting[1]?.resolve();
  await writer.flush();
  expect(await Bun.file(path).bytes()).toEqual(new Uint8Array([...piece(1), ...piece(2)]));
});

test("bytes that find no room fail at the next ones, and at the end", async () => {
  await using folder = createTempFolder();
  await using file = await open(join(folder.path, "bytes"), "wx");
  const { room, waiting } = createGate();
  await using writer = new SpoolWriter(file, room);
  await writer.add(piece(1));
  await setImmediate();
  waiting[0]?.reject(new Error("full"));
  expect(await writer.add(piece(2)).catch(String)).toBe("Error: full");
  expect(await writer.flush().catch(String)).toBe("Error: full");
});

test("the memory of a given piece is free once it is written, and that of others stays theirs", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "bytes");
  await using file = await open(path, "wx");
  await using writer = new SpoolWriter(file, { take: async () => {}, wrote() {} });
  const [given, kept, shared] = [piece(1), piece(2), piece(3)];
  await writer.give(given);
  await writer.add(kept);
  await writer.give(shared.subarray(1));
  await writer.flush();
  expect([given, kept, shared].map(({ length }) => length)).toEqual([0, PIECE_BYTES, PIECE_BYTES]);
  const all = [...piece(1), ...piece(2), ...piece(3).subarray(1)];
  expect(await Bun.file(path).bytes()).toEqual(new Uint8Array(all));
});
