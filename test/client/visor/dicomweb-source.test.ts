import { expect, test } from "bun:test";
import { createDicomwebSource } from "../../../src/client/visor/core/dicomweb-source.ts";
import { type EncodedFrame, SourceDamaged } from "../../../src/client/visor/core/source.ts";

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

test("a frame that the server keeps damaged is told from one that did not arrive", async () => {
  const readOf = async (problem: object) => {
    const get = async () => Response.json(problem, { status: 500 });
    const source = createDicomwebSource({ base: "/dicomweb/t/token", get });
    const { signal } = new AbortController();
    return await source.readFrame(frame, { isUrgent: true, signal }).catch((error: unknown) => error);
  };
  expect(await readOf({ status: 500, code: "archive.damaged" })).toBeInstanceOf(SourceDamaged);
  expect(await readOf({ status: 500, code: "internal" })).not.toBeInstanceOf(SourceDamaged);
});

test("a frame is kept in no cache of the browser, where it would outlast the sign-out", async () => {
  const modes: (RequestCache | undefined)[] = [];
  const get = async (_url: string, { cache }: RequestInit) => {
    modes.push(cache);
    return new Response(new Uint8Array(4), {
      headers: { "Content-Type": "application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1" },
    });
  };
  const source = createDicomwebSource({ base: "/dicomweb/t/token", get });
  await source.readFrame(frame, { isUrgent: true, signal: new AbortController().signal });
  expect(modes).toEqual(["no-store"]);
});
