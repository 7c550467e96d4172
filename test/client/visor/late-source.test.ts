import { expect, test } from "bun:test";
import { createLateSource } from "../../../src/client/visor/core/late-source.ts";
import { SourceEnded, SourceMissing, type StackSource } from "../../../src/client/visor/core/source.ts";

const FRAME = { studyInstanceUID: "1", seriesInstanceUID: "2", sopInstanceUID: "3", frameIndex: 0 };
const OPTIONS = { isUrgent: true, signal: new AbortController().signal };

/** A source whose access ends after `frames` frames. */
function lasting(frames: number): StackSource {
  let left = frames;
  return {
    listSeries: async () => [],
    readMetadata: async () => [],
    readFrame: async () => {
      if (left-- <= 0) throw new SourceEnded("over");
      return { bytes: new Uint8Array(1), transferSyntaxUID: "1.2" };
    },
  };
}

test("an exam stays open when its token ends before the session", async () => {
  let opened = 0;
  const source = createLateSource(async () => {
    opened++;
    return lasting(2);
  });
  for (let frame = 0; frame < 5; frame++)
    expect((await source.readFrame(FRAME, OPTIONS)).bytes.length).toBe(1);
  expect(opened).toBe(3);
});

test("frames asked for at once open an ended source once more, not once each", async () => {
  let opened = 0;
  const source = createLateSource(async () => lasting(++opened === 1 ? 0 : 9));
  await Promise.all(Array.from({ length: 6 }, () => source.readFrame(FRAME, OPTIONS)));
  expect(opened).toBe(2);
});

test("an exam whose access has ended says so", async () => {
  let opened = 0;
  const source = createLateSource(async () => {
    if (opened++ > 0) throw new Error("404");
    return lasting(0);
  });
  await expect(source.readFrame(FRAME, OPTIONS)).rejects.toBeInstanceOf(SourceEnded);
});

/** A source that has none of its images. */
function empty(): StackSource {
  return {
    ...lasting(0),
    readFrame: async () => {
      throw new SourceMissing("answer 404");
    },
  };
}

test("an exam that was deleted, or is no longer shared, has ended for each of its images", async () => {
  let opened = 0;
  const source = createLateSource(async () => {
    if (opened++ > 0) throw new Error("404");
    return empty();
  });
  for (let frame = 0; frame < 2; frame++)
    await expect(source.readFrame(FRAME, OPTIONS)).rejects.toBeInstanceOf(SourceEnded);
});

test("an image that is missing from an exam that is there ends nothing, and is asked about once", async () => {
  let opened = 0;
  const source = createLateSource(async () => {
    opened++;
    return empty();
  });
  for (let frame = 0; frame < 5; frame++)
    await expect(source.readFrame(FRAME, OPTIONS)).rejects.toBeInstanceOf(SourceMissing);
  expect(opened).toBe(2);
});

test("an exam whose token ends while the server is away has not ended", async () => {
  let opened = 0;
  const source = createLateSource(async () => {
    if (++opened === 2) throw new TypeError("unreachable");
    return lasting(opened === 1 ? 0 : 9);
  });
  const failure = await source.readFrame(FRAME, OPTIONS).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect((await source.readFrame(FRAME, OPTIONS)).bytes.length).toBe(1);
});
