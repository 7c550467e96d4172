import { describe, expect, test } from "bun:test";
import { createFrameLoader, type Decode } from "../../../src/client/visor/core/frame-loader.ts";
import { wantedOrder } from "../../../src/client/visor/core/seen-place.ts";
import {
  type EncodedFrame,
  type FrameAddress,
  SourceDamaged,
  SourceEnded,
} from "../../../src/client/visor/core/source.ts";
import { buildStacks, type Slice } from "../../../src/client/visor/core/stacks.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { NoPicture } from "../../../src/shared/pixels/no-picture.ts";
import type { PreparedFrame } from "../../../src/shared/pixels/prepare-frame.ts";
import { until } from "../../support/until.ts";

const FRAME_BYTES = 4;
const frame: PreparedFrame = {
  ...{ kind: "grey", rows: 2, columns: 2, indexes: new Uint8Array(FRAME_BYTES) },
  ...{ first: 0, step: 1, levels: 256, lowest: 0, highest: 0 },
};

function slicesOf(count: number, rows = 2): Slice[] {
  const us = (value: number) => ({ vr: "US", Value: [value] });
  const instances = Array.from({ length: count }, (_, i) => ({
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.${i}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [i] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: us(rows),
    [TagHex.Columns]: us(rows),
  }));
  const series = {
    ...{ studyInstanceUID: "2.25.1", seriesInstanceUID: "2.25.2", seriesNumber: 1 },
    ...{ modality: "CT", description: "", instanceCount: count },
  };
  return buildStacks(series, instances)[0]?.slices ?? [];
}

/** A source whose frames arrive when the test lets them. */
function heldSource() {
  const asked: {
    slice: number;
    signal: AbortSignal;
    isUrgent: boolean;
    arrive(): void;
    fail(error: Error): void;
  }[] = [];
  const readFrame = (
    address: FrameAddress,
    { signal, isUrgent }: { signal: AbortSignal; isUrgent: boolean },
  ) => {
    const { promise, resolve, reject } = Promise.withResolvers<EncodedFrame>();
    signal.addEventListener("abort", () => reject(signal.reason));
    asked.push({
      slice: Number(address.sopInstanceUID.split(".").at(-1)),
      signal,
      isUrgent,
      arrive: () => resolve({ bytes: new Uint8Array(1), transferSyntaxUID: "1.2.840.10008.1.2.1" }),
      fail: reject,
    });
    return promise;
  };
  return { asked, readFrame };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

function open(maxBytes = 1_000, decode: Decode = async () => frame, { againMs = 10_000 } = {}) {
  const source = heldSource();
  const changed: string[] = [];
  const loader = createFrameLoader({
    source,
    decode,
    maxBytes,
    waitsMs: [],
    againMs,
    concurrency: 3,
    onChange: (key) => changed.push(key),
  });
  return { ...source, loader, changed };
}

describe("frames", () => {
  test("come outward from the seen one, two of three ahead of the finger", () => {
    expect([...wantedOrder(10, 4, 1, 3)]).toEqual([4, 5, 6, 3, 7, 2, 1]);
    expect([...wantedOrder(10, 4, -1, 2)]).toEqual([4, 3, 2, 5, 6]);
    expect([...wantedOrder(2, 0, 1, 1_000_000)]).toEqual([0, 1]);
  });

  test("are asked for a few at a time, the seen one alone and with priority", async () => {
    const { asked, loader } = open();
    loader.focus(slicesOf(20), 10);
    await settle();
    expect(asked.map(({ slice }) => slice)).toEqual([10]);
    asked[0]?.arrive();
    await settle();
    expect(asked.slice(0, 3).map(({ slice }) => slice)).toEqual([10, 11, 12]);
    expect(asked.slice(0, 3).map(({ isUrgent }) => isUrgent)).toEqual([true, false, false]);
    loader.close();
  });

  test("that left the window are aborted, and the seen one does not wait for them", async () => {
    const { asked, loader } = open();
    const slices = slicesOf(200);
    loader.focus(slices, 10);
    await settle();
    asked[0]?.arrive();
    await settle();
    expect(asked.map(({ slice }) => slice)).toEqual([10, 11, 12, 9]);
    loader.focus(slices, 150);
    await settle();
    expect(asked.slice(1, 4).every(({ signal }) => signal.aborted)).toBe(true);
    expect(asked.slice(4).map(({ slice }) => slice)).toEqual([150]);
    loader.close();
  });

  test("on their way are aborted when the visor closes", async () => {
    const { asked, loader } = open();
    loader.focus(slicesOf(20), 10);
    await settle();
    asked[0]?.arrive();
    await settle();
    loader.close();
    expect(asked.slice(1).map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  });

  test("are kept up to a number of bytes; those farthest from the seen one leave first", async () => {
    const { asked, loader } = open(FRAME_BYTES * 5);
    const slices = slicesOf(100);
    for (let i = 0; i < 40; i++) {
      loader.focus(slices, i);
      for (const one of asked) one.arrive();
      await settle();
      expect(loader.sizeBytes).toBeLessThanOrEqual(FRAME_BYTES * 5);
    }
    const [first, seen] = [slices[0], slices[39]];
    expect(first && loader.frame(first)).toBeUndefined();
    expect(seen && loader.frame(seen)).toBe(frame);
    loader.close();
    expect(loader.sizeBytes).toBe(0);
  });

  test.each([
    ["one", 1.5],
    ["two", 2.5],
  ])("of which the cache holds %s are not asked for without end", async (_, held) => {
    const { asked, loader } = open(FRAME_BYTES * held);
    loader.focus(slicesOf(20), 10);
    for (let answered = 0; answered < asked.length && answered < 30; answered++) {
      asked[answered]?.arrive();
      await settle();
    }
    expect(asked.length).toBeLessThan(5);
    expect(loader.frame(slicesOf(20)[10] as Slice)).toBe(frame);
    loader.close();
  });

  test("that are larger than the seen one and fit nowhere beside it are not asked for without end", async () => {
    const large = { ...frame, rows: 50, indexes: new Uint8Array(100) };
    let decoded = 0;
    const { asked, loader } = open(110, async () => (decoded++ === 0 ? frame : large));
    loader.focus(slicesOf(20), 10);
    for (let answered = 0; answered < asked.length && answered < 60; answered++) {
      asked[answered]?.arrive();
      await settle();
    }
    expect(asked.length).toBeLessThan(25);
    const before = asked.length;
    loader.focus(slicesOf(20), 14);
    await settle();
    expect(asked.length).toBeGreaterThan(before);
    loader.close();
  });

  test("that a person goes to and fro among are read once", async () => {
    const { asked, loader } = open(FRAME_BYTES * 40);
    const slices = slicesOf(100);
    const seen: number[] = [];
    for (const index of [...wantedOrder(100, 50, 1, 6)].toSorted((a, b) => a - b)) seen.push(index);
    for (const index of [50, ...seen, ...seen.toReversed(), ...seen]) {
      loader.focus(slices, index);
      for (let arrived = -1; arrived < asked.length; ) {
        arrived = asked.length;
        for (const one of asked) one.arrive();
        await settle();
      }
    }
    const read = asked.map(({ slice }) => slice);
    expect(read.length).toBe(new Set(read).size);
    loader.close();
  });

  test("that left give their memory to those that come", async () => {
    const made = new Set<ArrayBuffer>();
    const { asked, loader } = open(FRAME_BYTES * 5, async (_encoded, _pixels, { takeMemory }) => {
      const memory = takeMemory() ?? new ArrayBuffer(FRAME_BYTES);
      made.add(memory);
      return { ...frame, indexes: new Uint8Array(memory) };
    });
    const slices = slicesOf(100);
    for (let i = 0; i < 80; i++) {
      loader.focus(slices, i);
      for (const one of asked) one.arrive();
      await settle();
      const kept = slices.flatMap((slice) => loader.frame(slice) ?? []);
      const memories = kept.map((one) => (one.kind === "grey" ? one.indexes.buffer : undefined));
      expect(new Set(memories).size).toBe(kept.length);
    }
    expect(asked.length).toBeGreaterThan(80);
    expect(made.size).toBeLessThan(20);
    loader.close();
  });

  test("ahead leave a connection to the seen one", async () => {
    const { asked, readFrame } = heldSource();
    const source = { readFrame };
    const loader = createFrameLoader({ source, decode: async () => frame, maxBytes: 1_000, onChange() {} });
    const slices = slicesOf(200);
    loader.focus(slices, 10);
    asked[0]?.arrive();
    await settle();
    const ahead = asked.slice(1);
    expect(ahead.length).toBe(5);
    loader.focus(slices, 150);
    expect(asked.length).toBe(7);
    loader.close();
  });

  test("that did not arrive fail alone and can be asked for again", async () => {
    const { asked, loader, changed } = open();
    const slices = slicesOf(3);
    const [seen] = slices;
    if (!seen) throw new Error("no slice");
    loader.focus(slices, 0);
    await settle();
    asked[0]?.fail(new TypeError("answer 500"));
    for (const one of asked.slice(1)) one.arrive();
    await settle();
    expect(loader.failure(seen)).toBe("lost");
    expect(changed).toContain(seen.key);
    loader.retry(seen);
    await settle();
    expect(loader.failure(seen)).toBeUndefined();
    asked.at(-1)?.arrive();
    await settle();
    expect(loader.frame(seen)).toBe(frame);
    loader.close();
  });

  test("that were lost come by themselves once the source is back, the seen one first", async () => {
    const { asked, loader } = open(1_000, undefined, { againMs: 20 });
    const slices = slicesOf(4);
    loader.focus(slices, 0);
    const isLost = (at: number) => loader.failure(slices[at] as Slice) === "lost";
    for (let failed = 0; failed < asked.length; ) {
      failed = asked.length;
      for (const one of asked) one.fail(new TypeError("answer 503"));
      await settle();
    }
    expect(slices.every((_, at) => isLost(at))).toBe(true);
    const before = asked.length;
    await until(async () => asked.length > before);
    expect(asked.slice(before).map(({ slice }) => slice)).toEqual([0]);
    // What is told stays while it is asked for.
    expect(isLost(0)).toBe(true);
    asked.at(-1)?.fail(new TypeError("answer 503"));
    await settle();
    await until(async () => asked.length > before + 1);
    for (let arrived = before + 1; arrived < asked.length; ) {
      arrived = asked.length;
      for (const one of asked) one.arrive();
      await settle();
    }
    expect(slices.map((slice) => loader.frame(slice))).toEqual(slices.map(() => frame));
    loader.close();
  });

  test("come one and all where the first one is lost", async () => {
    const { asked, loader } = open();
    loader.focus(slicesOf(30), 0);
    asked[0]?.fail(new TypeError("answer 404"));
    for (let arrived = 0; arrived < asked.length; ) {
      arrived = asked.length;
      for (const one of asked) one.arrive();
      await settle();
    }
    expect(asked.length).toBe(30);
    loader.close();
  });

  test("say whether access has ended or the image can't be drawn", async () => {
    const ended = open();
    const slices = slicesOf(1);
    const [seen] = slices;
    if (!seen) throw new Error("no slice");
    ended.loader.focus(slices, 0);
    await settle();
    ended.asked[0]?.fail(new SourceEnded("answer 401"));
    await settle();
    expect(ended.loader.failure(seen)).toBe("ended");
    const damaged = open();
    damaged.loader.focus(slices, 0);
    for (let tried = 0; damaged.loader.failure(seen) === undefined && tried < 5; tried++) {
      await settle();
      damaged.asked.at(-1)?.fail(new SourceDamaged("answer 500"));
      await settle();
    }
    expect(damaged.loader.failure(seen)).toBe("damaged");
    const broken = open(1_000, async () => {
      throw new NoPicture("undecodable", "cut");
    });
    broken.loader.focus(slices, 0);
    await settle();
    broken.asked[0]?.arrive();
    await settle();
    expect(broken.loader.failure(seen)).toBe("undecodable");
  });

  test("of a size that no screen has are refused before anything is asked for", async () => {
    const { asked, loader } = open();
    const slices = slicesOf(1, 65_535);
    const [seen] = slices;
    loader.focus(slices, 0);
    await settle();
    expect(asked).toEqual([]);
    expect(seen && loader.failure(seen)).toBe("unsupported");
  });
});

describe("a frame of which the beginning is a coarser picture", () => {
  const isPrefix = ({ bytes }: EncodedFrame) => bytes.length === 1;
  const coarse: PreparedFrame = { ...frame, indexes: new Uint8Array(FRAME_BYTES).fill(1) } as PreparedFrame;

  function loaderOfPrefixes() {
    const asked: { slice: number; begin(): void; arrive(): void }[] = [];
    const changes: string[] = [];
    const transferSyntaxUID = "1.2.840.10008.1.2.4.202";
    const loader = createFrameLoader({
      source: {
        readFrame(address, { onPrefix }) {
          const { promise, resolve } = Promise.withResolvers<EncodedFrame>();
          asked.push({
            slice: Number(address.sopInstanceUID.split(".").at(-1)),
            begin: () => onPrefix?.({ bytes: new Uint8Array(1), transferSyntaxUID }),
            arrive: () => resolve({ bytes: new Uint8Array(2), transferSyntaxUID }),
          });
          return promise;
        },
      },
      decode: async (encoded) => (isPrefix(encoded) ? coarse : frame),
      maxBytes: 1_000,
      onChange: (key) => changes.push(key),
    });
    return { asked, changes, loader };
  }

  test("is shown coarse while it is the seen one, and then as it is", async () => {
    const { asked, changes, loader } = loaderOfPrefixes();
    const slices = slicesOf(3);
    loader.focus(slices, 1);
    const seen = slices[1] as Slice;
    asked.find(({ slice }) => slice === 1)?.begin();
    asked.find(({ slice }) => slice === 2)?.begin();
    await settle();
    expect(loader.frame(seen)).toBe(coarse);
    expect(changes).toEqual([seen.key]);
    expect(loader.frame(slices[2] as Slice)).toBeUndefined();
    asked.find(({ slice }) => slice === 1)?.arrive();
    await settle();
    expect(loader.frame(seen)).toBe(frame);
  });

  test("is decoded from bytes of its own, for those given are written over", async () => {
    const given = new Uint8Array([7]);
    const decoded: Uint8Array[] = [];
    const transferSyntaxUID = "1.2.840.10008.1.2.4.202";
    const loader = createFrameLoader({
      source: {
        readFrame(_address, { onPrefix }) {
          onPrefix?.({ bytes: given, transferSyntaxUID });
          given.fill(0);
          return new Promise(() => undefined);
        },
      },
      decode: async ({ bytes }) => {
        decoded.push(bytes);
        return coarse;
      },
      maxBytes: 1_000,
      onChange: () => undefined,
    });
    loader.focus(slicesOf(1), 0);
    await settle();
    expect(decoded).toEqual([new Uint8Array([7])]);
  });

  test("is not kept once another is seen", async () => {
    const { asked, loader } = loaderOfPrefixes();
    const slices = slicesOf(3);
    loader.focus(slices, 0);
    asked.find(({ slice }) => slice === 0)?.begin();
    await settle();
    loader.focus(slices, 2);
    expect(loader.frame(slices[0] as Slice)).toBeUndefined();
  });
});
