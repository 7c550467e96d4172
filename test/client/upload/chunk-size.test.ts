import { describe, expect, test } from "bun:test";
import { ChunkSize } from "../../../src/client/features/upload/send/chunk-size.ts";
import { chunkBytes } from "../../../src/shared/api/resumable.ts";

const MIB = 1024 * 1024;

interface Line {
  bytesPerMs: number;
  /** When the line breaks after `now`. */
  nextCut: (now: number) => number;
  answerMs: number;
}

/** Sends an upload over a line; a chunk that is cut off is sent again. */
function sendOver({ bytesPerMs, nextCut, answerMs }: Line, wholeBytes: number) {
  let now = 0;
  let carriedBytes = 0;
  const sizes: number[] = [];
  const size = new ChunkSize(now);
  for (let offset = 0; offset < wholeBytes; ) {
    const bytes = Math.min(size.bytes, wholeBytes - offset);
    sizes.push(bytes);
    const tookMs = bytes / bytesPerMs + answerMs;
    const cutAt = nextCut(now);
    if (now + tookMs > cutAt) {
      carriedBytes += Math.min(bytes, (cutAt - now) * bytesPerMs);
      now = cutAt;
      size.wasCut(now);
      now += 1_000;
      continue;
    }
    now += tookMs;
    offset += bytes;
    carriedBytes += bytes;
    size.arrived(bytes, tookMs, now);
  }
  return { overhead: carriedBytes / wholeBytes - 1, sizes };
}

const every =
  (ms: number, phase = 0) =>
  (now: number) =>
    (Math.floor((now - phase) / ms) + 1) * ms + phase;
const never = () => Number.POSITIVE_INFINITY;

describe("the chunks of an upload", () => {
  test("cost a line that is cut every 30 s less than 3 % more bytes, whenever the cuts come", () => {
    for (const answerMs of [0, 20, 200]) {
      for (let phase = 0; phase < 30_000; phase += 700) {
        const line = { bytesPerMs: 2_500, nextCut: every(30_000, phase), answerMs };
        expect(sendOver(line, 2_000 * MIB).overhead).toBeLessThan(0.025);
      }
    }
  });

  test("fill a line that is not cut: as large as allowed on a fast one, a second and a half on a slow one", () => {
    const fast = sendOver({ bytesPerMs: 100_000, nextCut: never, answerMs: 1 }, 200 * MIB).sizes;
    expect(fast.slice(0, 5)).toEqual([1, 2, 4, 8, 8].map((size) => size * MIB));
    expect(Math.max(...fast)).toBe(chunkBytes);
    const slow = sendOver({ bytesPerMs: 500, nextCut: never, answerMs: 0 }, 20 * MIB).sizes;
    expect(new Set(slow.slice(2, -1))).toEqual(new Set([0.75 * MIB]));
  });

  test("are half a second at least, however often the line is cut, and grow again once it lasts", () => {
    const often = sendOver({ bytesPerMs: 2_500, nextCut: every(4_000), answerMs: 0 }, 50 * MIB).sizes;
    expect(Math.min(...often.slice(3, -1))).toBeGreaterThanOrEqual(0.5 * MIB);
    expect(often.at(-3)).toBeLessThanOrEqual(1.5 * MIB);
    const once = (now: number) => (now < 3_000 ? 3_000 : Number.POSITIVE_INFINITY);
    const lasting = sendOver({ bytesPerMs: 2_500, nextCut: once, answerMs: 0 }, 400 * MIB).sizes;
    expect(lasting.at(-2)).toBe(3.5 * MIB);
  });

  test("stay below what a proxy lets pass, once it refused one", () => {
    const size = new ChunkSize(0);
    size.arrived(MIB, 1, 1);
    expect(size.bytes).toBe(2 * MIB);
    expect(size.wasTooLarge()).toBe(true);
    for (let now = 2; now < 9; now++) size.arrived(size.bytes, 1, now);
    expect(size.bytes).toBe(MIB);
    expect([size.wasTooLarge(), size.wasTooLarge(), size.wasTooLarge()]).toEqual([true, true, false]);
    expect(size.bytes).toBe(MIB / 4);
  });
});
