import { describe, expect, test } from "bun:test";
import {
  fillingReader,
  type Prefix,
  readBounded,
  readInto,
} from "../../../src/client/visor/core/read-bounded.ts";

const PIECE = 20_000;
const bytes = Uint8Array.from({ length: 130_000 }, (_, i) => i & 255);

function answer(headers: Record<string, string>): Response {
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += PIECE) controller.enqueue(bytes.slice(at, at + PIECE));
      controller.close();
    },
  });
  return new Response(body, { headers });
}

/** The lengths of the beginnings that are taken of an answer that says it ends there, and of one that says it is longer. */
async function beginningsTaken(read: (prefix: Prefix) => Promise<unknown>): Promise<number[]> {
  const beginnings: number[] = [];
  const take = (begun: Uint8Array) => beginnings.push(begun.length);
  for (const whole of [bytes.length, bytes.length + 1]) await read({ bytes: bytes.length, whole, take });
  return beginnings;
}

describe("an answer is read whole", () => {
  test.each<Record<string, string>>([
    {},
    { "Content-Length": "130000" },
    { "Content-Length": "9", "Content-Encoding": "br" },
    { "Content-Length": "9" },
    { "Content-Length": "900000000000" },
    { "Content-Length": "-1" },
    { "Content-Length": "many" },
  ])("whatever it says of its length: %p", async (headers) => {
    const read = await readBounded(answer(headers), 1_000_000);
    expect(read).toEqual(bytes);
    expect(read.buffer.byteLength).toBe(bytes.length);
  });

  test("and its beginning is not taken where all of it came at once", async () => {
    const taken = await beginningsTaken((prefix) => readBounded(answer({}), 1_000_000, prefix));
    expect(taken).toEqual([bytes.length]);
  });

  test("unless it is longer than may be held", () => {
    expect(readBounded(answer({}), 100_000)).rejects.toThrow(RangeError);
    expect(readBounded(answer({ "Content-Length": "9" }), 100_000)).rejects.toThrow(RangeError);
  });
});

/** Answers as browsers do, which fill the memory of whoever reads. */
function fillingAnswer(): Response {
  let at = 0;
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const { byobRequest } = controller;
      const view = byobRequest?.view;
      if (!byobRequest || !view) throw new TypeError("nothing to fill");
      const piece = bytes.subarray(at, at + Math.min(PIECE, view.byteLength));
      at += piece.length;
      if (piece.length === 0) controller.close();
      else new Uint8Array(view.buffer, view.byteOffset).set(piece);
      byobRequest.respond(piece.length);
    },
  });
  return new Response(body);
}

function fill(memory: ArrayBuffer, options: Parameters<typeof readInto>[2]): Promise<Uint8Array> {
  const reader = fillingReader(fillingAnswer());
  if (!reader) throw new TypeError("no reader");
  return readInto(reader, memory, options);
}

describe("an answer is read into memory", () => {
  test.each([1, 65_536, 130_000, 130_001, 500_000])("of %p bytes", async (sizeBytes) => {
    const beginnings: number[] = [];
    const prefix = { bytes: 32_768, take: (begun: Uint8Array) => beginnings.push(begun.length) };
    const memory = new ArrayBuffer(sizeBytes);
    const read = await fill(memory, { maxBytes: 1_000_000, prefix });
    expect(read).toEqual(bytes);
    expect(read.buffer.byteLength).toBeLessThanOrEqual(Math.max(sizeBytes, 2 * bytes.length));
    expect(beginnings).toHaveLength(1);
    expect(memory.byteLength).toBe(0);
  });

  test("and its beginning is not taken where all of it came at once", async () => {
    const taken = await beginningsTaken((prefix) =>
      fill(new ArrayBuffer(500_000), { maxBytes: 1_000_000, prefix }),
    );
    expect(taken).toEqual([bytes.length]);
  });

  test("unless it is longer than may be held", () => {
    expect(fill(new ArrayBuffer(500_000), { maxBytes: 100_000 })).rejects.toThrow(RangeError);
  });

  test("only where the browser can", () => {
    expect(fillingReader(answer({}))).toBeUndefined();
  });
});
