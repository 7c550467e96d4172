import { expect, test } from "bun:test";
import { connect } from "node:net";
import { onePartRelated } from "../../../src/server/features/dicomweb/answers/multipart-related.ts";
import { LentBuffers, ownBytes } from "../../../src/server/runtime/lent-bytes.ts";

const MIB = 1024 * 1024;
/** More than the sockets of both sides take before anybody reads. */
const LONG_BYTES = 24 * MIB;

test("a frame reaches a client that reads later as it was, though its buffer was filled anew at once", async () => {
  const bytes = new Uint8Array(LONG_BYTES).fill(7);
  const released = Promise.withResolvers<void>();
  const lent = {
    ...ownBytes(bytes),
    release: () => {
      bytes.fill(9);
      released.resolve();
    },
    between: () => bytes,
  };
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(
        onePartRelated("application/octet-stream", { contentType: "application/octet-stream" }, lent).body,
      ),
  });
  const socket = connect({ host: "127.0.0.1", port: Number(server.port) });
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await released.promise;
  const counts = new Map<number, number>();
  for await (const piece of socket) {
    for (const byte of piece as Uint8Array) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  }
  expect([counts.get(7), counts.get(9) ?? 0]).toEqual([LONG_BYTES, 0]);
});

test("a buffer that is lent is nobody else's until it is released, and is used again after that", async () => {
  const buffers = new LentBuffers(100);
  const filledWith = (value: number) => async (bytes: Uint8Array) => void bytes.fill(value);
  const first = await buffers.lend(100, { offset: 10, length: 50 }, filledWith(1));
  const second = await buffers.lend(100, { offset: 0, length: 100 }, filledWith(2));
  expect(first.bytes).toEqual(new Uint8Array(50).fill(1));
  first.release();
  first.release();
  const third = await buffers.lend(100, { offset: 10, length: 50 }, filledWith(3));
  const fourth = await buffers.lend(100, { offset: 10, length: 50 }, filledWith(4));
  expect(third.bytes.buffer).toBe(first.bytes.buffer);
  expect(new Set([second, third, fourth].map(({ bytes }) => bytes.buffer)).size).toBe(3);
  expect(second.bytes).toEqual(new Uint8Array(100).fill(2));
});

test("a failed read gives its buffer back, and more than a buffer holds is refused", async () => {
  const buffers = new LentBuffers(100);
  const range = { offset: 0, length: 100 };
  let used: ArrayBufferLike | undefined;
  const fail = async (bytes: Uint8Array) => {
    used = bytes.buffer;
    throw new Error("damaged");
  };
  await expect(buffers.lend(100, range, fail)).rejects.toThrow("damaged");
  expect((await buffers.lend(100, range, async () => {})).bytes.buffer).toBe(used ?? new ArrayBuffer(0));
  await expect(buffers.lend(101, range, async () => {})).rejects.toThrow(RangeError);
});

test("head and end surround lent bytes in their buffer, however much of it was read", async () => {
  const buffers = new LentBuffers(100);
  const fill = async (bytes: Uint8Array) => void bytes.fill(5);
  const lent = await buffers.lend(100, { offset: 0, length: 100 }, fill);
  const short = lent.between(new Uint8Array(3).fill(1), new Uint8Array(4).fill(2));
  expect([...short]).toEqual([1, 1, 1, ...Array<number>(100).fill(5), 2, 2, 2, 2]);
  expect(short.buffer).toBe(lent.bytes.buffer);
  const long = lent.between(new Uint8Array(5_000), new Uint8Array(5_000));
  expect([long.length, long[5_000], long[5_099], long[5_100]]).toEqual([10_100, 5, 5, 0]);
});
