export interface TransferReading {
  /** Bytes per second over the last seconds; undefined until there are enough samples. */
  bytesPerSecond?: number;
  secondsLeft?: number;
}

interface Sample {
  atMs: number;
  loadedBytes: number;
}

const WINDOW_MS = 8_000;
const MIN_SPAN_MS = 500;

/** Computes speed and remaining time of a transfer over a sliding window. */
export class TransferMeter {
  #samples: Sample[] = [];

  /** @param atMs time of a monotonic clock */
  read(atMs: number, loadedBytes: number, totalBytes: number): TransferReading {
    this.#samples.push({ atMs, loadedBytes });
    this.#samples = this.#samples.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
    const first = this.#samples[0];
    if (!first || atMs - first.atMs < MIN_SPAN_MS || loadedBytes <= first.loadedBytes) return {};
    const bytesPerSecond = ((loadedBytes - first.loadedBytes) / (atMs - first.atMs)) * 1000;
    return { bytesPerSecond, secondsLeft: Math.ceil((totalBytes - loadedBytes) / bytesPerSecond) };
  }
}
