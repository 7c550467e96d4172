import { describe, expect, test } from "bun:test";
import { createDicomwebSource } from "../../../src/client/visor/core/dicomweb-source.ts";
import type { EncodedFrame } from "../../../src/client/visor/core/source.ts";
import { createVisorModel } from "../../../src/client/visor/core/visor-model.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const frame = { studyInstanceUID: "1", seriesInstanceUID: "2", sopInstanceUID: "3", frameIndex: 0 };

/** Answers in pieces of 20 kB. */
function sourceOf(transferSyntaxUID: string, sizeBytes: number) {
  const accepted: (string | null)[] = [];
  const bytes = Uint8Array.from({ length: sizeBytes }, (_, i) => i & 255);
  const source = createDicomwebSource({
    base: "/dicomweb/t/token",
    async get(_url, { headers }) {
      accepted.push(new Headers(headers).get("accept"));
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < sizeBytes; at += 20_000) controller.enqueue(bytes.subarray(at, at + 20_000));
          controller.close();
        },
      });
      const type = `image/jphc; transfer-syntax=${transferSyntaxUID}`;
      return new Response(body, { headers: { "Content-Type": type, "Content-Length": String(sizeBytes) } });
    },
  });
  async function read(): Promise<{ whole: EncodedFrame; prefixes: number[] }> {
    const prefixes: number[] = [];
    const onPrefix = (prefix: EncodedFrame) => prefixes.push(prefix.bytes.length);
    const { signal } = new AbortController();
    return { whole: await source.readFrame(frame, { isUrgent: true, signal, onPrefix }), prefixes };
  }
  return { accepted, bytes, read };
}

test("a frame is asked for as its lossless copy first, whose beginning is given before the rest", async () => {
  const { accepted, bytes, read } = sourceOf("1.2.840.10008.1.2.4.202", 130_000);
  const { whole, prefixes } = await read();
  expect(accepted[0]).toStartWith("image/jphc; transfer-syntax=1.2.840.10008.1.2.4.202, ");
  expect(prefixes).toEqual([40_000]);
  expect(whole.bytes).toEqual(bytes);
});

test("a short copy, and a frame as it is stored, have no beginning of use", async () => {
  expect((await sourceOf("1.2.840.10008.1.2.4.202", 50_000).read()).prefixes).toEqual([]);
  expect((await sourceOf("1.2.840.10008.1.2.1", 130_000).read()).prefixes).toEqual([]);
});

describe("the image to begin with", () => {
  function beginning() {
    const asked: { url: string; signal: AbortSignal | null | undefined }[] = [];
    const source = createDicomwebSource({
      base: "/dicomweb/t/token",
      beginWith: frame,
      async get(url, { signal }) {
        asked.push({ url, signal });
        return new Response(new Uint8Array([7]), { headers: { "Content-Type": "image/jphc" } });
      },
    });
    const read = async (sopInstanceUID: string, signal = new AbortController().signal) =>
      (await source.readFrame({ ...frame, sopInstanceUID }, { isUrgent: true, signal })).bytes[0];
    return { asked, read };
  }
  const path = "/dicomweb/t/token/studies/1/series/2/instances/3/frames/1";

  test("is asked for before the series has been read, and once", async () => {
    const { asked, read } = beginning();
    expect(asked.map(({ url }) => url)).toEqual([path]);
    expect(await read("3")).toBe(7);
    expect(asked).toHaveLength(1);
    expect(await read("3")).toBe(7);
    expect(asked).toHaveLength(2);
  });

  test("is given up when another one is wanted, or nobody wants it any more", async () => {
    const other = beginning();
    expect(await other.read("4")).toBe(7);
    expect(other.asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    const left = beginning();
    const leaving = new AbortController();
    const reading = left.read("3", leaving.signal);
    leaving.abort();
    await reading.catch(() => undefined);
    expect(left.asked[0]?.signal?.aborted).toBe(true);
  });

  test("is where an even stack begins, if it is one of the two in the middle", async () => {
    for (const [sopInstanceUID, index] of [
      ["2.25.2", 2],
      ["2.25.1", 1],
      ["2.25.0", 1],
      [undefined, 1],
    ] as const) {
      const series = { studyInstanceUID: "1", seriesInstanceUID: "2", seriesNumber: 1, modality: "CT" };
      const model = createVisorModel({
        beginWith: async () => ({ seriesInstanceUID: "2", sopInstanceUID }),
        listSeries: async () => [{ ...series, description: "", instanceCount: 4 }],
        readMetadata: async () => [0, 1, 2, 3].map(instanceOf),
        readFrame: () => Promise.reject(new TypeError("no frames here")),
      });
      await model.open("1");
      expect(model.state.index).toBe(index);
      model.close();
    }
  });

  const instanceOf = (number: number) => ({
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.${number}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [number] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: { vr: "US", Value: [2] },
    [TagHex.Columns]: { vr: "US", Value: [2] },
  });
});
