import { expect, test } from "bun:test";
import { makeStreamsIterable } from "../../../src/client/features/pdf/iterable-streams.ts";

/** A stream as WebKit's, which has a reader and cannot be iterated; says how it ended. */
function plainStream(...chunks: number[]) {
  const told: string[] = [];
  const stream = {
    getReader: () => ({
      read: async () =>
        chunks.length > 0 ? { done: false, value: chunks.shift() } : { done: true, value: undefined },
      cancel: async () => void told.push("cancelled"),
      releaseLock: () => void told.push("released"),
    }),
  } as unknown as ReadableStream<number>;
  makeStreamsIterable(stream);
  return { stream, told };
}

test("a stream that knows no iteration is read to its end, and cancelled where the reading is left", async () => {
  const whole = plainStream(1, 2, 3);
  expect(await Array.fromAsync(whole.stream)).toEqual([1, 2, 3]);
  expect(whole.told).toEqual(["released"]);
  const left = plainStream(1, 2, 3);
  for await (const chunk of left.stream) if (chunk === 2) break;
  expect(left.told).toEqual(["cancelled", "released"]);
});

test("a browser's own iteration stays", () => {
  const own = ReadableStream.prototype[Symbol.asyncIterator];
  makeStreamsIterable();
  expect(ReadableStream.prototype[Symbol.asyncIterator]).toBe(own);
});
