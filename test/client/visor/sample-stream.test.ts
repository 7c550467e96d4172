import { expect, test } from "bun:test";
import { sampleStream } from "../../../src/client/visor/decode/sample-stream.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";

test("the stream that decoders begin with has the samples that it says", async () => {
  const { rows, columns, samplesPerPixel, samples } = await createCodecs(readCodec).decode(
    "htJpeg2000",
    sampleStream(),
  );
  expect([rows, columns, samplesPerPixel]).toEqual([32, 32, 1]);
  expect([...samples]).toEqual(
    Array.from({ length: 32 * 32 }, (_, at) => 3 * (at % 32) + Math.floor(at / 32)),
  );
});
