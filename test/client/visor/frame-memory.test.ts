import { expect, test } from "bun:test";
import { createFrameMemory } from "../../../src/client/visor/core/frame-memory.ts";
import type { PreparedFrame } from "../../../src/shared/pixels/prepare-frame.ts";

const frameOf = (bytes: number): PreparedFrame => ({
  ...{ kind: "grey", rows: 1, columns: bytes, indexes: new Uint8Array(bytes) },
  ...{ first: 0, step: 1, levels: 256, lowest: 0, highest: 0 },
});

test("the frames given last keep their memory: the screen may still be drawing them", () => {
  const memory = createFrameMemory();
  memory.give(frameOf(4));
  memory.give(frameOf(4));
  expect(memory.take(4)).toBeUndefined();
  memory.give(frameOf(4));
  expect(memory.take(4)?.byteLength).toBe(4);
  expect(memory.take(4)).toBeUndefined();
});

test("memory is taken by frames of its size alone, and little of it waits", () => {
  const memory = createFrameMemory();
  for (let i = 0; i < 100; i++) memory.give(frameOf(4));
  expect(memory.take(8)).toBeUndefined();
  let taken = 0;
  while (memory.take(4)) taken++;
  expect(taken).toBeLessThanOrEqual(8);
});

test("a frame whose memory was handed on is not given again", () => {
  const memory = createFrameMemory();
  const frame = frameOf(4);
  if (frame.kind === "grey")
    structuredClone(frame.indexes, { transfer: [frame.indexes.buffer as ArrayBuffer] });
  for (let i = 0; i < 4; i++) memory.give(frame);
  expect(memory.take(0)).toBeUndefined();
});
