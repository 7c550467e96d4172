import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import type { StackSource } from "../../visor/core/source.ts";
import {
  type SampleKernel,
  type SampleSlice,
  sampleMetadata,
  sampleSeries,
  sampleSliceOf,
} from "./sample-exam.ts";

/** What computes slices: a worker in a browser. */
export interface SampleDrawer {
  draw(slice: SampleSlice): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

export interface SampleSource extends StackSource {
  /** Frees what computes; the next frame starts it again. */
  close(): void;
}

interface Waiting {
  slice: SampleSlice;
  isUrgent: boolean;
  signal: AbortSignal;
  resolve(bytes: Uint8Array<ArrayBuffer>): void;
  reject(reason: unknown): void;
}

/** An exam that is computed on this device, slice by slice: no server, no account, no patient. */
export function createSampleSource(
  descriptions: Record<SampleKernel, string>,
  drawer: SampleDrawer = startDrawer(),
): SampleSource {
  let waiting: Waiting[] = [];
  let isDrawing = false;

  /** One slice at a time, the seen one first; what nobody waits for any more is not computed. */
  async function drawNext(): Promise<void> {
    if (isDrawing) return;
    waiting = waiting.filter(({ signal }) => !signal.aborted);
    const next = waiting.find(({ isUrgent }) => isUrgent) ?? waiting[0];
    if (!next) return;
    waiting = waiting.filter((item) => item !== next);
    isDrawing = true;
    try {
      next.resolve(await drawer.draw(next.slice));
    } catch (error) {
      next.reject(error);
    }
    isDrawing = false;
    void drawNext();
  }

  return {
    listSeries: async () => sampleSeries(descriptions),
    readMetadata: async ({ seriesInstanceUID }) => sampleMetadata(seriesInstanceUID),
    async readFrame({ seriesInstanceUID, sopInstanceUID }, { isUrgent, signal }) {
      const slice = sampleSliceOf(seriesInstanceUID, sopInstanceUID);
      if (!slice) throw new TypeError("not of the sample");
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      waiting.push({ slice, isUrgent, signal, resolve, reject });
      void drawNext();
      return { bytes: await promise, transferSyntaxUID: TransferSyntax.explicitLittleEndian };
    },
    close: () => drawer.close(),
  };
}

/** Computes in a worker, so that scrolling stays smooth. */
function startDrawer(): SampleDrawer {
  let worker: Worker | undefined;
  let fail: (reason: unknown) => void = () => {};
  const drop = () => {
    worker?.terminate();
    worker = undefined;
  };
  return {
    async draw(slice) {
      worker ??= new Worker(new URL("./draw-sample.worker.ts", import.meta.url), { type: "module" });
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
      fail = reject;
      worker.onmessage = ({ data }: MessageEvent<Uint8Array<ArrayBuffer>>) => resolve(data);
      worker.onerror = () => {
        // One that was not loaded answers nothing ever after.
        drop();
        reject(new TypeError("the worker of the sample failed"));
      };
      worker.postMessage(slice);
      return await promise;
    },
    close() {
      drop();
      fail(new TypeError("the sample was closed"));
    },
  };
}
