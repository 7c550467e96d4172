import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  createPictureMaker,
  type PictureMaker,
} from "../../../src/server/features/thumbnails/worker/picture-maker.ts";
import type { PictureRequest } from "../../../src/server/features/thumbnails/worker/picture-messages.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";
import { EXPLICIT_LITTLE_ENDIAN, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const JPEG_LS = "1.2.840.10008.1.2.4.80";
/** Far more than a small frame takes, on a busy machine too. */
const SHORT_MS = 200;
const never = new AbortController().signal;
const makers: PictureMaker[] = [];
const log = { warn() {} };

function maker(timeoutMs: number): PictureMaker {
  const made = createPictureMaker({ log, timeoutMs });
  makers.push(made);
  return made;
}
afterAll(() => Promise.all(makers.map((made) => made.close())));

const us = (value: number) => ({ vr: "US", Value: [value] });

function request(side: number, transferSyntaxUID: string, frame: Uint8Array): PictureRequest {
  const elements = { [TagHex.Rows]: us(side), [TagHex.Columns]: us(side), [TagHex.BitsStored]: us(16) };
  const header = sampleFile({ ...elements, [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array() } });
  return { transferSyntaxUID, frameIndex: 0, source: { kind: "parts", header, frame } };
}

const sound = request(2, EXPLICIT_LITTLE_ENDIAN, new Uint8Array(Uint16Array.of(0, 100, 200, 300).buffer));

/** Most of a stream of noise, large enough to keep any decoder busy for longer than {@link SHORT_MS}. */
async function encodeCutStream(): Promise<PictureRequest> {
  const side = 4096;
  let state = 1;
  // 12 of 16 bits: the encoder has no room for data that does not compress at all.
  const samples = Uint8Array.from({ length: side * side * 2 }, (_, i) => {
    state = (state * 48_271) % 2_147_483_647;
    return state & (i % 2 ? 0x0f : 0xff);
  });
  const encode = encoders[JPEG_LS];
  const info = { width: side, height: side, bitsPerSample: 16, componentCount: 1, samples } as const;
  const stream = (await encode?.(info)) ?? new Uint8Array();
  return request(side, JPEG_LS, stream.subarray(0, -1_000));
}

let encoded: Promise<PictureRequest> | undefined;
function cutStream(): Promise<PictureRequest> {
  encoded ??= encodeCutStream();
  return encoded;
}

function isSlow(made: Awaited<ReturnType<PictureMaker["make"]>>): boolean {
  return !made.ok && "detail" in made && made.detail === "the request took too long";
}

describe("the process that decodes", () => {
  test("is ended when one frame takes too long, and the next frame has its picture", async () => {
    const pictures = maker(SHORT_MS);
    const hostile = await cutStream();
    const [lost, next] = await Promise.all([pictures.make(hostile, never), pictures.make(sound, never)]);
    expect(lost).toMatchObject({ ok: false, failure: "lost" });
    let fine = next;
    // A busy machine may take even these four pixels too long.
    for (let tries = 0; isSlow(fine) && tries < 20; tries++) fine = await pictures.make(sound, never);
    expect(fine).toMatchObject({ ok: true });
  }, 240_000);

  test("ends on a cut stream within the limit, whatever the decoder does", async () => {
    expect(await maker(5_000).make(await cutStream(), never)).toMatchObject({ ok: false });
  }, 240_000);

  test("that was killed is started again for the frame that it decoded", async () => {
    const server = join(import.meta.dir, "../../../src/server");
    const died = join(createTempFolder().path, "died");
    // The first process ends at its frame.
    const code = `
      let isFirst = true;
      try { require("node:fs").mkdirSync(${JSON.stringify(died)}); } catch { isFirst = false; }
      if (!isFirst) await import("${server}/features/thumbnails/worker/picture-worker.ts");
      else (await import("${server}/processes/serve-requests.ts")).serveSerially(() => process.exit(1));
    `;
    const made = createPictureMaker({ log, command: [process.execPath, "-e", code] });
    makers.push(made);
    const decoded = await made.decode({ ...sound, native: { asDescribed: true, path: "" } }, never);
    expect(decoded).toMatchObject({
      ok: true,
      frame: { sent: new Uint8Array([0, 0, 100, 0, 200, 0, 44, 1]) },
    });
  }, 240_000);

  test("accepts a frame of 64 MB", async () => {
    const side = 5792;
    const frame = new Uint8Array(Uint16Array.from({ length: side * side }, (_, i) => i % side).buffer);
    await using folder = createTempFolder();
    const path = join(folder.path, "frame");
    const { source, ...asked } = request(side, EXPLICIT_LITTLE_ENDIAN, new Uint8Array());
    const header = source.kind === "parts" ? source.header : new Uint8Array();
    await Bun.write(path, new Blob([Uint8Array.from(header), frame]));
    const spooled = { ...asked, source: { kind: "spooled", path, headerBytes: header.length } } as const;
    expect(await maker(20_000).make(spooled, never)).toMatchObject({ ok: true });
  }, 240_000);

  test("stops at once when its job is given up or the server stops", async () => {
    const pictures = maker(20_000);
    const hostile = await cutStream();
    const given = new AbortController();
    const first = pictures.make(hostile, given.signal);
    const second = pictures.make(hostile, never);
    given.abort(new Error("given up"));
    expect(first).rejects.toThrow("given up");
    await Promise.allSettled([first]);
    await pictures.close();
    expect(second).rejects.toThrow("stopping");
    await Promise.allSettled([second]);
  }, 240_000);
});
