import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeRleFrame } from "../../scripts/demo/phantom/rle.ts";

/** Undoes PS3.5 annex G step by step, as the standard describes it. */
function decode(
  encoded: Uint8Array,
  pixels: number,
  samplesPerPixel: number,
  bytesPerSample: number,
): Uint8Array {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.length);
  const count = view.getUint32(0, true);
  const out = new Uint8Array(pixels * samplesPerPixel * bytesPerSample);
  for (let segment = 0; segment < count; segment++) {
    const start = view.getUint32(4 + segment * 4, true);
    const end = segment + 1 < count ? view.getUint32(8 + segment * 4, true) : encoded.length;
    const plane = unpack(encoded.subarray(start, end), pixels);
    const sample = Math.floor(segment / bytesPerSample);
    const byte = bytesPerSample - 1 - (segment % bytesPerSample);
    for (const [i, value] of plane.entries()) {
      out[(i * samplesPerPixel + sample) * bytesPerSample + byte] = value;
    }
  }
  return out;
}

function unpack(segment: Uint8Array, length: number): number[] {
  const out: number[] = [];
  for (let at = 0; out.length < length; ) {
    const control = segment[at++] ?? 0;
    if (control < 128) {
      out.push(...segment.subarray(at, at + control + 1));
      at += control + 1;
    } else if (control > 128) {
      out.push(...new Array<number>(257 - control).fill(segment[at++] ?? 0));
    }
  }
  return out;
}

describe("RLE Lossless", () => {
  test("gives back every frame bit for bit", () => {
    const byte = fc.oneof(fc.constant(0), fc.constant(255), fc.nat(255));
    const frame = fc
      .record({
        rows: fc.integer({ min: 1, max: 5 }),
        columns: fc.integer({ min: 1, max: 300 }),
        samplesPerPixel: fc.constantFrom(1, 3),
        bytesPerSample: fc.constantFrom(1, 2),
      })
      .chain((shape) => {
        const length = shape.rows * shape.columns * shape.samplesPerPixel * shape.bytesPerSample;
        return fc.record({
          shape: fc.constant(shape),
          samples: fc
            .uint8Array({ minLength: length, maxLength: length })
            .chain((noise) =>
              byte.map((flat) => noise.map((value, i) => (Math.floor(i / 200) % 2 === 0 ? flat : value))),
            ),
        });
      });
    fc.assert(
      fc.property(frame, ({ shape, samples }) => {
        const encoded = encodeRleFrame(samples, shape);
        const { rows, columns, samplesPerPixel, bytesPerSample } = shape;
        expect(encoded.length % 2).toBe(0);
        expect(decode(encoded, rows * columns, samplesPerPixel, bytesPerSample)).toEqual(samples);
      }),
      { numRuns: 150, seed: 1 },
    );
  });

  test("makes a blank frame small", () => {
    const shape = { rows: 256, columns: 256, samplesPerPixel: 1, bytesPerSample: 2 };
    expect(encodeRleFrame(new Uint8Array(256 * 256 * 2), shape).length).toBeLessThan(2200);
  });

  test("refuses a frame that does not fit its shape", () => {
    const shape = { rows: 2, columns: 2, samplesPerPixel: 1, bytesPerSample: 2 };
    expect(() => encodeRleFrame(new Uint8Array(7), shape)).toThrow(RangeError);
  });
});
