import type { CodecName } from "../../../shared/pixels/wasm-codec.ts";
import type { DecodeRequest } from "./decode-messages.ts";
import { createDecodePool, type DecodePool, type WorkerKind } from "./decode-pool.ts";

const htJpeg2000Url = () => new URL("./decode-ht-jpeg-2000.worker.ts", import.meta.url);

/** Each kind is a file of its own, so that a codec is loaded when a syntax needs it. */
const STARTS: Record<WorkerKind, () => Worker> = {
  plain: () => new Worker(new URL("./decode-plain.worker.ts", import.meta.url), { type: "module" }),
  jpeg: () => new Worker(new URL("./decode-jpeg.worker.ts", import.meta.url), { type: "module" }),
  jpegLs: () => new Worker(new URL("./decode-jpeg-ls.worker.ts", import.meta.url), { type: "module" }),
  jpeg2000: () => new Worker(new URL("./decode-jpeg-2000.worker.ts", import.meta.url), { type: "module" }),
  htJpeg2000: () => new Worker(htJpeg2000Url(), { type: "module" }),
};

/** Addresses of the codecs' WebAssembly; the build puts them in. */
const CODEC_URLS = JSON.parse(process.env.CODEC_URLS ?? "{}") as Record<CodecName, string>;

/** WebAssembly that was read: each worker of a codec gets a copy. */
const binaries = new Map<CodecName, Promise<ArrayBuffer>>();

function readBinary(name: CodecName, priority: RequestPriority): Promise<ArrayBuffer> {
  const reading = binaries.get(name) ?? fetchBinary(CODEC_URLS[name], priority);
  binaries.set(name, reading);
  reading.catch(() => binaries.delete(name));
  return reading;
}

async function fetchBinary(url: string, priority: RequestPriority): Promise<ArrayBuffer> {
  const response = await fetch(url, { priority });
  if (!response.ok) throw new TypeError(`answer ${response.status}`);
  return await response.arrayBuffer();
}

/** A decoder of the lossless copies that no visor has taken yet. */
let spare: Promise<Worker> | undefined;

async function start(kind: WorkerKind, { isAhead = false } = {}): Promise<Worker> {
  if (kind === "htJpeg2000" && spare) return takeSpare(spare);
  const worker = STARTS[kind]();
  if (kind === "plain") return worker;
  const failed = Promise.withResolvers<never>();
  worker.onerror = ({ message }) => {
    // A script that did not arrive is not kept for later.
    if (isAhead) spare = undefined;
    failed.reject(new TypeError(message));
  };
  try {
    // The worker itself may reach no address.
    const wasmBinary = await Promise.race([readBinary(kind, isAhead ? "low" : "high"), failed.promise]);
    worker.postMessage({ type: "codec", name: kind, wasmBinary, isAhead } satisfies DecodeRequest);
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

function takeSpare(taken: Promise<Worker>): Promise<Worker> {
  spare = undefined;
  return taken;
}

/** Has one decoder ready for the lossless copies, which most long series have. */
export function warmDecoder(): void {
  if (spare) return;
  const started = start("htJpeg2000", { isAhead: true });
  spare = started;
  started.catch(() => {
    if (spare === started) spare = undefined;
  });
}

/** Whether the decoder of the lossless copies was made ready before any series was known. */
export function isDecoderWarm(): boolean {
  return spare !== undefined || binaries.has("htJpeg2000");
}

/** One worker fewer than the machine has cores, at most four: each codec takes 50 MB. */
export function startDecodePool({ size = usualSize() } = {}): DecodePool {
  return createDecodePool({ start, size });
}

function usualSize(): number {
  const cores = navigator.hardwareConcurrency || 2;
  return Math.min(4, Math.max(2, cores - 1));
}
