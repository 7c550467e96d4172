import { afterEach, expect, test } from "bun:test";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { Decoding } from "../../../src/server/features/dicomweb/decoded/decoding.ts";
import type {
  FrameDecoder,
  NativeFrame,
} from "../../../src/server/features/dicomweb/decoded/frame-decoder.ts";
import { tooManyReads } from "../../../src/server/features/dicomweb/dicomweb.errors.ts";
import { withPatience } from "../../../src/server/features/dicomweb/turns/with-patience.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { partsOf } from "../../support/dicom/parts-of.ts";

/* How much is decoded at once, with frames that take 3 MB each. */

const FRAME_BYTES = 3 * 1024 * 1024;
const FRAMES = 'multipart/related; type="application/octet-stream"; transfer-syntax=1.2.840.10008.1.2.1';
const FILE = "application/dicom; transfer-syntax=1.2.840.10008.1.2.1";
const FILES = 'multipart/related; type="application/dicom"; transfer-syntax=1.2.840.10008.1.2.1';

const bytes = sampleFile(
  {
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [3] },
    [TagHex.PixelData]: {
      vr: "OB",
      fragments: [1, 2, 3].map((value) => new Uint8Array(64).fill(value)),
    },
  },
  { transferSyntaxUID: "1.2.840.10008.1.2.4.90" },
);
const read = readInstance(memorySource(bytes));
if (!read.ok) throw new Error(read.reason);
const { instance } = read;
const series = `/dicomweb/t/x/studies/${instance.studyInstanceUID}/series/${instance.seriesInstanceUID}`;
const path = `${series}/instances/${instance.sopInstanceUID}`;

let undisposed = 0;
afterEach(() => expect(undisposed).toBe(0));

function nativeFrame(frameIndex: number): NativeFrame {
  undisposed++;
  let isDisposed = false;
  return {
    bytes: new Blob([new Uint8Array(FRAME_BYTES).fill(frameIndex)]),
    sizeBytes: FRAME_BYTES,
    photometricInterpretation: "MONOCHROME2",
    async [Symbol.asyncDispose]() {
      if (!isDisposed) undisposed--;
      isDisposed = true;
    },
  };
}

/** A server whose decoder fills each frame with its index, and fails where it is told to. */
function serve(decode: Partial<FrameDecoder> = {}) {
  const decoder: FrameDecoder = {
    decode: async ({ frameIndex }) => nativeFrame(frameIndex),
    ...decode,
  };
  const app = dicomwebApp(() => createMemoryCatalogue([{ bytes, instance }]), {
    decoding: new Decoding(decoder),
  });
  return (address: string, accept: string, init: RequestInit = {}) =>
    app.request(address, { ...init, headers: { accept } });
}

test("an account has two long answers at once, whatever they are of", async () => {
  const get = serve();
  const held = [await get(path, FILE), await get(`${path}/frames/1,2`, FRAMES)];
  expect(held.map(({ status }) => status)).toEqual([200, 200]);
  for (const [address, accept] of [
    [path, FILE],
    [`${path}/frames/1`, FRAMES],
  ] as const) {
    const refused = await get(address, accept);
    expect([address, refused.status]).toEqual([address, 503]);
  }
  await held.shift()?.body?.cancel();
  const [, ...others] = await partsOf(await get(`${path}/frames/1,3`, FRAMES));
  expect(others.map(({ body }) => [body.length, body[0]])).toEqual([[FRAME_BYTES, 2]]);
  await held.shift()?.body?.cancel();
  const whole = await (await get(path, FILE)).bytes();
  expect([1, 2, 3].map((fromEnd) => whole.at(-FRAME_BYTES * fromEnd))).toEqual([2, 1, 0]);
});

test("nothing is decoded for frames that have no place", async () => {
  let decoded = 0;
  const get = serve({
    async decode({ frameIndex }) {
      decoded++;
      return nativeFrame(frameIndex);
    },
  });
  const held = [await get(path, FILE), await get(path, FILE)];
  expect((await get(`${path}/frames/1,2`, FRAMES)).status).toBe(503);
  expect(decoded).toBe(2);
  expect((await get(`${path}/frames/1,2`, FRAMES, { method: "HEAD" })).status).toBe(200);
  for (const one of held) await one.body?.cancel();
});

test("HEAD holds no place", async () => {
  const get = serve();
  for (let times = 0; times < 3; times++)
    for (const [address, accept] of [
      [path, FILE],
      [`${path}/frames/1`, FRAMES],
      [series, FILES],
    ] as const)
      expect((await get(address, accept, { method: "HEAD" })).status).toBe(200);
  await (await get(path, FILE)).bytes();
});

test("a series waits for its place, and leaves it", async () => {
  const get = serve();
  const held = [await get(path, FILE), await get(path, FILE)];
  let isAnswered = false;
  const answering = (async () => {
    const answer = await get(series, FILES);
    isAnswered = true;
    return answer;
  })();
  await Bun.sleep(100);
  expect(isAnswered).toBe(false);
  await held[0]?.body?.cancel();
  const answer = await answering;
  expect(answer.status).toBe(200);
  expect((await partsOf(answer))[0]?.body.length).toBeGreaterThan(3 * FRAME_BYTES);
  await held[1]?.body?.cancel();
});

test("a series that nobody reads any more takes no place", async () => {
  const get = serve();
  const held = [await get(path, FILE), await get(path, FILE)];
  const left = new AbortController();
  const answering = get(series, FILES, { signal: left.signal });
  await Bun.sleep(100);
  left.abort(new Error("left"));
  await answering;
  for (const one of held) await one.body?.cancel();
  const again = [await get(path, FILE), await get(path, FILE)];
  expect(again.map(({ status }) => status)).toEqual([200, 200]);
  for (const one of again) await one.body?.cancel();
});

test("a file breaks off at a frame that is not as the first one", async () => {
  const get = serve({
    decode: async ({ frameIndex }) => (frameIndex === 2 ? undefined : nativeFrame(frameIndex)),
  });
  const answer = await get(path, FILE);
  expect(answer.status).toBe(200);
  await expect(answer.bytes()).rejects.toThrow();
  const alone = await get(`${path}/frames/3`, FRAMES);
  expect(alone.status).toBe(406);
});

test("an answer that has begun waits for a busy decoder", async () => {
  let refusals = 2;
  const get = serve({
    async decode({ frameIndex }) {
      if (frameIndex === 1 && refusals-- > 0) throw new AppError(tooManyReads);
      return nativeFrame(frameIndex);
    },
  });
  const whole = await (await get(path, FILE)).bytes();
  expect([1, 2, 3].map((fromEnd) => whole.at(-FRAME_BYTES * fromEnd))).toEqual([2, 1, 0]);
  const always = serve({ decode: () => Promise.reject(new AppError(tooManyReads)) });
  expect((await always(path, FILE)).status).toBe(503);
});

test("a client that leaves while a frame is decoded is no failure for the log", async () => {
  const left = new AbortController();
  const decoding = withPatience(left.signal, (limit) => {
    left.abort();
    return Promise.reject(limit.reason);
  });
  const error = await decoding.catch((thrown) => thrown);
  expect(error.options).toEqual({ retryAfterSeconds: 5 });
});

test("a series of one instance comes in the form that the client takes of it", async () => {
  const stored = `${FILES.replace("1.2.840.10008.1.2.1", "*")}; q=0.5`;
  const broken = serve({ decode: async () => undefined });
  const [part] = await partsOf(await broken(series, `${FILE}, ${stored}`));
  expect(part?.contentType).toBe("application/dicom; transfer-syntax=1.2.840.10008.1.2.4.90");
  expect((await broken(series, FILE)).status).toBe(406);
  const inParts = await serve()(
    series,
    `application/dicom; transfer-syntax=1.2.840.10008.1.2.4.70, ${FILES}`,
  );
  expect(inParts.headers.get("content-type")).toStartWith("multipart/related");
  expect((await partsOf(inParts))[0]?.contentType).toBe(FILE);
});

test.each([
  ["a file", path, FILE],
  ["a frame", `${path}/frames/1`, FRAMES],
  ["a frame without parts", `${path}/frames/1`, FRAMES.replace(/^.*"(.*)"/, "$1")],
  ["a series", series, FILES],
])("a client that stops takes no more than a piece of a frame of %s", async (_, address, accept) => {
  let longest = 0;
  const pieces = ((await serve()(address, accept)).body ?? []) as AsyncIterable<Uint8Array>;
  for await (const { length } of pieces) longest = Math.max(longest, length);
  expect(longest).toBeLessThan(FRAME_BYTES / 4);
});
