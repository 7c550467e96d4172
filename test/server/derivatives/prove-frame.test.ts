import { afterAll, describe, expect, test } from "bun:test";
import type { SampleFormat } from "../../../src/server/features/derivatives/worker/encode-messages.ts";
import { createFrameEncoder } from "../../../src/server/features/derivatives/worker/frame-encoder.ts";
import { createEncoder, type Encode } from "../../../src/server/features/derivatives/worker/htj2k-encoder.ts";
import { proveFrame } from "../../../src/server/features/derivatives/worker/prove-frame.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { storedValue } from "../../../src/shared/pixels/stored-value.ts";
import { type CodecName, createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";
import { sliceSamples } from "../../support/dicom/noisy-slices.ts";
import { sampleFrames } from "../../support/dicom/sample-frames.ts";

const codecs = createCodecs(readCodec);
const encode = createEncoder();
const transferSyntaxUID: string = TransferSyntax.explicitLittleEndian;
const SIDE = 32;

const grey: SampleFormat = {
  rows: SIDE,
  columns: SIDE,
  samplesPerPixel: 1,
  photometricInterpretation: "MONOCHROME2",
  bitsAllocated: 16,
  bitsStored: 12,
  highBit: 11,
  isSigned: true,
  isPlanar: false,
  pixelDataAs: "words",
};
const bytes = (samples: Int16Array | Uint16Array | Uint8Array | Int8Array) =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
const slice = bytes(sliceSamples(1, SIDE));

const prove = (
  frame: Uint8Array,
  format: Partial<SampleFormat> = {},
  syntax = transferSyntaxUID,
  codec = encode,
) =>
  proveFrame(frame, { format: { ...grey, ...format }, transferSyntaxUID: syntax }, { encode: codec, codecs });

describe("a codec that lies is caught", () => {
  const lies: Record<string, Encode> = {
    "by one sample": async (raster) => {
      const samples = raster.samples.slice();
      samples[SIDE] = (samples[SIDE] ?? 0) + 1;
      return await encode({ ...raster, samples });
    },
    "by another size": (raster) =>
      encode({ ...raster, rows: SIDE / 2, samples: raster.samples.slice(0, 512) }),
    "by another sign": (raster) => encode({ ...raster, isSigned: !raster.isSigned, bits: 16 }),
    "by an end that is missing": async (raster) => (await encode(raster)).slice(0, -200),
    "by bytes that are no code stream": async () => new Uint8Array(500),
  };
  for (const [how, lie] of Object.entries(lies))
    test(how, async () => {
      await expect(prove(slice, {}, transferSyntaxUID, lie)).rejects.toThrow();
    });
});

describe("a copy is proved of frames of", () => {
  const count = SIDE * SIDE;
  const ramp = (bits: number, isSigned = false) =>
    Array.from({ length: count }, (_, i) => ((i * 37) % 2 ** bits) - (isSigned ? 2 ** (bits - 1) : 0));
  const colours = Uint8Array.from({ length: count * 3 }, (_, i) => (i * 7) & 255);
  const eight = {
    bitsAllocated: 8,
    bitsStored: 8,
    highBit: 7,
    pixelDataAs: "bytes",
    isSigned: false,
  } as const;
  const unsigned = { isSigned: false } as const;
  const rgb = { ...eight, samplesPerPixel: 3, photometricInterpretation: "RGB" };
  const kinds: Record<string, [Uint8Array, Partial<SampleFormat>]> = {
    "12 bits, signed": [slice, {}],
    "12 bits, signed, without the sign in the other bits": [
      bytes(Uint16Array.from(ramp(12, true), (value) => value & 0xfff)),
      {},
    ],
    "10 bits in 16": [bytes(Uint16Array.from(ramp(10))), { ...unsigned, bitsStored: 10, highBit: 9 }],
    "8 bits in 16": [bytes(Uint16Array.from(ramp(8))), { ...unsigned, bitsStored: 8, highBit: 7 }],
    "16 bits": [bytes(Uint16Array.from(ramp(16))), { ...unsigned, bitsStored: 16, highBit: 15 }],
    "16 bits, signed": [bytes(Int16Array.from(ramp(16, true))), { bitsStored: 16, highBit: 15 }],
    "12 bits at the upper end": [
      bytes(Uint16Array.from(ramp(12), (value) => value << 4)),
      { ...unsigned, highBit: 15 },
    ],
    "12 bits below an overlay": [
      bytes(Uint16Array.from(ramp(12), (value, i) => value | (i % 3 === 0 ? 0x8000 : 0))),
      unsigned,
    ],
    "8 bits": [bytes(Uint8Array.from(ramp(8))), eight],
    "a palette": [bytes(Uint8Array.from(ramp(8))), { ...eight, photometricInterpretation: "PALETTE COLOR" }],
    colours: [colours, rgb],
    "colours in planes": [colours, { ...rgb, isPlanar: true }],
  };
  for (const [kind, [frame, format]] of Object.entries(kinds))
    test(kind, async () => {
      const { codeStream, prefixLengths } = await prove(frame, format);
      const pixels = { ...grey, ...format };
      const full = {
        ...pixels,
        rescale: { slope: 1, intercept: 0 },
        isInverted: false,
        pixelAspect: 1,
      };
      const original = await decodeFrame(frame, full, transferSyntaxUID, codecs);
      const copy = await decodeFrame(codeStream, full, TransferSyntax.htJpeg2000Rpcl, codecs);
      // What a viewer takes out of the samples is the same, and so is what another decoder does.
      const values = (from: typeof copy) => Array.from(from.samples, storedValue(from, full));
      expect(values(copy)).toEqual(values(original));
      expect(values(await codecs.decode("jpeg2000", codeStream))).toEqual(values(original));
      expect(prefixLengths).toHaveLength(6);
    });

  for (const syntax of ["1.2.840.10008.1.2.5", "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.90"])
    test(`the transfer syntax ${syntax}`, async () => {
      const samples = bytes(Uint16Array.from(ramp(12)));
      const shape = { width: SIDE, height: SIDE, bitsPerSample: 16, componentCount: 1 } as const;
      const frame = (await encoders[syntax]?.({ ...shape, samples })) ?? new Uint8Array();
      const { codeStream } = await prove(frame, { isSigned: false, bitsStored: 16, highBit: 15 }, syntax);
      const copy = await codecs.decode("htJpeg2000", codeStream);
      expect(bytes(copy.samples as Uint16Array)).toEqual(samples);
    });

  test("real files of each kind that loses nothing, or there is none", async () => {
    const folder = process.env.DICOM_SAMPLES;
    if (!folder) return;
    const { COPIED_SYNTAXES } = await import("../../../src/server/features/derivatives/copied-syntaxes.ts");
    const without: string[] = [];
    let proved = 0;
    for (const frame of sampleFrames(folder)) {
      if (!COPIED_SYNTAXES.has(frame.transferSyntaxUID)) continue;
      const reason = await prove(frame.bytes, frame.pixels, frame.transferSyntaxUID).then(
        async ({ codeStream }) => {
          const decodedBy = async (name: CodecName) => (await codecs.decode(name, codeStream)).samples;
          expect(await decodedBy("jpeg2000")).toEqual(await decodedBy("htJpeg2000"));
        },
        (error: Error) => error.message,
      );
      if (reason === undefined) proved++;
      else without.push(`${reason}: ${frame.file.split("/").at(-1)}`);
    }
    expect(proved).toBeGreaterThan(20);
    if (process.env.TEST_LOG) process.stderr.write(`${proved} proved\n${without.join("\n")}\n`);
  }, 240_000);
});

describe("frames have no copy", () => {
  const bytesOf = {
    bitsAllocated: 8,
    bitsStored: 8,
    highBit: 7,
    rows: SIDE * 2,
    pixelDataAs: "bytes",
  } as const;
  const none: Record<string, Partial<SampleFormat>> = {
    "of other sizes than the header says": { rows: SIDE * 2, samplesPerPixel: 2 },
    "of fractions": { bitsAllocated: 32, bitsStored: 32, highBit: 31, pixelDataAs: "float" },
    "of single bits": { bitsAllocated: 1, bitsStored: 1, highBit: 0 },
    "of 32 bits": { bitsAllocated: 32, bitsStored: 32, highBit: 31 },
    "whose colours viewers read in another way": { photometricInterpretation: "YBR_FULL_422" },
    "of signed bytes, which decoders read in two ways": { ...bytesOf, isSigned: true },
    "of luminance and colour": {
      ...bytesOf,
      isSigned: false,
      rows: 16,
      columns: 40,
      samplesPerPixel: 3,
      photometricInterpretation: "YBR_FULL",
    },
    "of absurd sizes": { rows: 65_535, columns: 65_535 },
  };
  for (const [which, format] of Object.entries(none))
    test(which, async () => {
      await expect(prove(slice, format)).rejects.toThrow();
    });
});

describe("the process that encodes", () => {
  const log = { warn() {} };
  const opened: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(opened.map((encoder) => encoder.close())));
  const never = new AbortController().signal;

  test("is ended when a frame takes too long, and the next one is encoded", async () => {
    const side = 2_048;
    const frame = bytes(Uint16Array.from({ length: side * side }, (_, i) => (i * 48_271) % 65_521));
    const format = { ...grey, rows: side, columns: side, isSigned: false, bitsStored: 16, highBit: 15 };
    const impatient = createFrameEncoder({ log, timeoutMs: 60 });
    opened.push(impatient);
    const lost = await impatient.encode({ frame, format, transferSyntaxUID }, never);
    expect(lost).toMatchObject({ isLost: true });
    const patient = createFrameEncoder({ log });
    opened.push(patient);
    expect(await patient.encode({ frame: slice, format: grey, transferSyntaxUID }, never)).toHaveProperty(
      "codeStream",
    );
  });
});
