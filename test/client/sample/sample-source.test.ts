import { describe, expect, test } from "bun:test";
import { drawSample } from "../../../src/client/features/sample/draw-sample.ts";
import {
  SAMPLE_STUDY_UID,
  type SampleSlice,
  sampleMetadata,
} from "../../../src/client/features/sample/sample-exam.ts";
import { createSampleSource } from "../../../src/client/features/sample/sample-source.ts";
import { buildStacks } from "../../../src/client/visor/core/stacks.ts";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";

const names = { brain: "Encéfalo", bone: "Osso" };
const noCodecs = createCodecs(() => Promise.reject(new Error("no codec")));

/** A drawer whose slices are done when the test lets them. */
function heldDrawer() {
  const asked: { slice: SampleSlice; done(): void }[] = [];
  return {
    asked,
    drawer: {
      draw(slice: SampleSlice) {
        const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
        asked.push({ slice, done: () => resolve(new Uint8Array(2)) });
        return promise;
      },
      close() {},
    },
  };
}

async function openStacks(
  source = createSampleSource(names, { draw: async (s) => drawSample(s), close() {} }),
) {
  const { signal } = new AbortController();
  const series = await source.listSeries(SAMPLE_STUDY_UID, signal);
  const stacks = await Promise.all(
    series.map(async (one) => buildStacks(one, await source.readMetadata(one, signal))),
  );
  return { source, signal, stacks: stacks.flat() };
}

describe("the sample exam", () => {
  test("is two stacks of one head, in the order of the body, and its pixels are a CT's", async () => {
    const { source, signal, stacks } = await openStacks();
    expect(stacks.map(({ series, slices }) => [series.description, slices.length])).toEqual([
      ["Encéfalo", 24],
      ["Osso", 24],
    ]);
    const slice = stacks[0]?.slices[12];
    if (!slice) throw new Error("no slice");
    expect(slice.geometry).toMatchObject({ spacing: { rows: 220 / 256, columns: 220 / 256 } });
    const { bytes, transferSyntaxUID } = await source.readFrame(slice, { isUrgent: true, signal });
    const pixels = readPixelModule(slice.metadata, 0);
    const { samples } = await decodeFrame(bytes, pixels, transferSyntaxUID, noCodecs);
    const hounsfieldAt = (x: number, y: number) => (samples[y * 256 + x] ?? 0) - 1024;
    expect(hounsfieldAt(2, 2)).toBeLessThan(-900);
    expect(hounsfieldAt(100, 120)).toBeWithin(0, 60);
    expect(Math.max(...samples) - 1024).toBeGreaterThan(700);
  });

  test("names no patient", () => {
    const tags = sampleMetadata(`${SAMPLE_STUDY_UID}.1`).flatMap((instance) => Object.keys(instance));
    expect(tags.length).toBeGreaterThan(0);
    expect(tags.filter((tag) => tag.startsWith("0010"))).toEqual([]);
  });

  test("computes one slice at a time, the seen one next, and none that nobody waits for", async () => {
    const { asked, drawer } = heldDrawer();
    const { source, signal, stacks } = await openStacks(createSampleSource(names, drawer));
    const slices = stacks[0]?.slices ?? [];
    const gone = new AbortController();
    const read = (index: number, isUrgent: boolean, by = signal) => {
      const slice = slices[index];
      if (!slice) throw new Error("no slice");
      return source.readFrame(slice, { isUrgent, signal: by });
    };
    const first = read(0, false);
    const left = read(1, false, gone.signal);
    const later = read(2, false);
    const seen = read(3, true);
    gone.abort();
    expect(left).rejects.toThrow();
    for (const read of [first, seen, later]) {
      asked.at(-1)?.done();
      await read;
      await Promise.resolve();
    }
    expect(asked.map(({ slice }) => slice.index)).toEqual([0, 3, 2]);
  });

  test("goes on after a slice that failed", async () => {
    let calls = 0;
    const draw = async (slice: SampleSlice) => {
      if (calls++ === 0) throw new TypeError("stopped");
      return drawSample(slice);
    };
    const { source, signal, stacks } = await openStacks(createSampleSource(names, { draw, close() {} }));
    const [slice] = stacks[0]?.slices ?? [];
    if (!slice) throw new Error("no slice");
    expect(source.readFrame(slice, { isUrgent: true, signal })).rejects.toThrow("stopped");
    expect((await source.readFrame(slice, { isUrgent: true, signal })).bytes.length).toBe(256 * 256 * 2);
  });

  test("is computed by another worker where one could not be loaded", async () => {
    let started = 0;
    /** The first one fails to load, as without a connection: it answers nothing ever after. */
    class OneLostWorker extends EventTarget {
      readonly #isLost = started++ === 0;
      onmessage?: (event: { data: unknown }) => void;
      onerror?: () => void;
      #isTold = false;
      postMessage(): void {
        queueMicrotask(() => {
          if (!this.#isLost) this.onmessage?.({ data: new Uint8Array(2) });
          else if (!this.#isTold) this.onerror?.();
          this.#isTold = true;
        });
      }
      terminate(): void {}
    }
    const { Worker } = globalThis;
    globalThis.Worker = OneLostWorker as unknown as typeof Worker;
    try {
      const { source, signal, stacks } = await openStacks(createSampleSource(names));
      const [slice] = stacks[0]?.slices ?? [];
      if (!slice) throw new Error("no slice");
      expect(source.readFrame(slice, { isUrgent: true, signal })).rejects.toThrow("failed");
      expect((await source.readFrame(slice, { isUrgent: true, signal })).bytes.length).toBe(2);
    } finally {
      globalThis.Worker = Worker;
    }
  });
});
