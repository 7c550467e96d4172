import { firstComponent, hasColourTransform, withoutSign } from "./code-stream.ts";
import type { DecodedFrame, Samples } from "./decoded-frame.ts";
import type { PixelModule } from "./pixel-module.ts";
import { codeStreamOf } from "./stream-bounds.ts";
import type { Codecs } from "./wasm-codec.ts";

type Jpeg2000Codec = "jpeg2000" | "htJpeg2000";

/** Decodes a frame, and puts right what the codecs get wrong. @throws {NoPicture} */
export async function decodeJpeg2000(
  codec: Jpeg2000Codec,
  bytes: Uint8Array,
  pixels: PixelModule,
  codecs: Codecs,
): Promise<DecodedFrame> {
  const stream = codeStreamOf(bytes);
  const { bits, isSigned } = firstComponent(stream);
  const frame =
    isSigned && bits <= 8
      ? signed(await codecs.decode(codec, withoutSign(stream)), bits)
      : await codecs.decode(codec, stream);
  const isMisplaced = codec === "htJpeg2000" && frame.samplesPerPixel > 1 && !hasColourTransform(stream);
  return { ...(isMisplaced ? withLinesInPlace(frame) : frame), isRgb: isTransformedByCodec(pixels) };
}

/** Both codecs make zeros of negative samples of up to 8 bits. */
function signed(frame: DecodedFrame, bits: number): DecodedFrame {
  return { ...frame, samples: Int8Array.from(frame.samples, (sample) => sample - 2 ** (bits - 1)) };
}

/**
 * OpenJPH decodes colours without a transform one after the other, all lines of the first before those of the second. Its codec
 * takes each for the next colour of the same line, and so puts the n-th line that it gets at line `n / colours`, colour `n % colours`.
 */
function withLinesInPlace(frame: DecodedFrame): DecodedFrame {
  const { rows, columns, samplesPerPixel, samples } = frame;
  const lineLength = columns * samplesPerPixel;
  const placed = samples.slice() as Samples;
  for (let line = 0; line < rows * samplesPerPixel; line++) {
    const from = Math.floor(line / samplesPerPixel) * lineLength + (line % samplesPerPixel);
    const to = (line % rows) * lineLength + Math.floor(line / rows);
    for (let i = 0; i < lineLength; i += samplesPerPixel) placed[to + i] = samples[from + i] ?? 0;
  }
  return { ...frame, samples: placed };
}

/** Whether the codec already undid JPEG 2000's colour transform (PS3.3 §C.7.6.3.1.2). */
function isTransformedByCodec({ photometricInterpretation }: PixelModule): boolean {
  return /^YBR_(?:RCT|ICT)$/.test(photometricInterpretation);
}
