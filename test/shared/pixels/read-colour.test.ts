import { expect, test } from "bun:test";
import { drawColour } from "../../../src/server/features/thumbnails/worker/draw-colour.ts";
import type { DecodedFrame } from "../../../src/shared/pixels/decoded-frame.ts";
import { type PixelModule, readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { prepareFrame } from "../../../src/shared/pixels/prepare-frame.ts";

const ramp = { first: 0, bits: 8, entries: Uint8Array.from({ length: 256 }, (_, level) => level) };
const falling = { ...ramp, entries: ramp.entries.toReversed() };

interface Kind extends Partial<PixelModule> {
  samples: DecodedFrame["samples"];
}

/** The colours of a row of pixels as the visor and as the server draw them. */
function drawnColours({ samples, ...described }: Kind): { visor: number[]; server: number[] } {
  const bitsAllocated = samples.BYTES_PER_ELEMENT * 8;
  const bits = {
    bitsAllocated,
    bitsStored: bitsAllocated,
    highBit: (described.bitsStored ?? bitsAllocated) - 1,
  };
  const pixels = { ...readPixelModule({}, 0), ...bits, ...described };
  const columns = samples.length / pixels.samplesPerPixel;
  const frame = { rows: 1, columns, samplesPerPixel: pixels.samplesPerPixel, samples };
  const prepared = prepareFrame(frame, pixels);
  if (prepared.kind !== "colour") throw new Error("no colours");
  const server = drawColour(frame, pixels, columns).values;
  return { visor: [...prepared.bytes], server: [...server].map(Math.round) };
}

/** The expected colours are those of DCMTK. */
test.each<[string, Kind, number[]]>([
  [
    "HSV",
    {
      photometricInterpretation: "HSV",
      samplesPerPixel: 3,
      samples: Uint8Array.of(0, 0, 200, 0, 255, 255, 128, 255, 255, 85, 128, 200),
    },
    [200, 200, 200, 255, 0, 0, 0, 255, 255, 101, 200, 100],
  ],
  [
    "CMYK",
    {
      photometricInterpretation: "CMYK",
      samplesPerPixel: 4,
      samples: Uint8Array.of(0, 0, 0, 0, 255, 0, 0, 0, 10, 20, 30, 40, 0, 0, 0, 255),
    },
    [255, 255, 255, 0, 255, 255, 205, 195, 185, 0, 0, 0],
  ],
  [
    "ARGB, whose palette covers a pixel where the first sample is not 0",
    {
      photometricInterpretation: "ARGB",
      samplesPerPixel: 4,
      palette: [ramp, falling, ramp],
      samples: Uint8Array.of(0, 10, 20, 30, 100, 10, 20, 30),
    },
    [10, 20, 30, 100, 155, 100],
  ],
  [
    "RGB in the high bits of its samples",
    {
      photometricInterpretation: "RGB",
      samplesPerPixel: 3,
      bitsStored: 12,
      highBit: 15,
      samples: Uint16Array.of(0xfff0, 0, 0x8080),
    },
    [255, 0, 128],
  ],
  [
    "RGB with bits above the stored ones",
    {
      photometricInterpretation: "RGB",
      samplesPerPixel: 3,
      bitsStored: 12,
      samples: Uint16Array.of(0x1fff, 0xf000, 0x2808),
    },
    [255, 0, 128],
  ],
])("%s is drawn in its colours", (_, kind, colours) => {
  const { visor, server } = drawnColours(kind);
  for (const drawn of [visor, server]) {
    expect(drawn).toHaveLength(colours.length);
    for (const [at, level] of drawn.entries()) expect(Math.abs(level - (colours[at] ?? 0))).toBeLessThan(2);
  }
});

test("RGB that claims to have a sign is drawn without one, by the visor and by the server", () => {
  const samples = Int8Array.of(-1, 0, 127, -128);
  const kind = { photometricInterpretation: "RGB", samplesPerPixel: 3, isSigned: true };
  const drawn = drawnColours({ ...kind, samples: samples.subarray(0, 3) });
  expect(drawn).toEqual({ visor: [255, 0, 127], server: [255, 0, 127] });
});
