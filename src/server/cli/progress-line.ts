const EVERY_MS = 200;

/** A line on the terminal that is rewritten as work proceeds; silent if standard error is not a terminal. */
export interface ProgressLine extends Disposable {
  show(text: string): void;
}

export function openProgressLine(): ProgressLine {
  const stream = process.stderr;
  let shownAt = 0;
  let isShown = false;
  return {
    show(text) {
      if (!stream.isTTY || performance.now() - shownAt < EVERY_MS) return;
      shownAt = performance.now();
      isShown = true;
      stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    [Symbol.dispose]() {
      if (isShown) stream.write("\r\x1b[K");
    },
  };
}

const BAR_WIDTH = 20;

/** Such as "[#####---------------] 25 %". */
export function barOf(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * BAR_WIDTH);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`;
}

/** Such as "[########------------] 40 % of 1.2 GB". */
export function barOfBytes(bytes: number, totalBytes: number): string {
  return `${barOf(bytes, totalBytes)} of ${sizeText(totalBytes)}`;
}

/** Formats bytes for people, in decimal units. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
