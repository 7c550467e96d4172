import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";

/** Holds the coarser picture of the seen slice while its whole frame is on its way. */
export class CoarseFrame {
  readonly #onDropped: (frame: PreparedFrame) => void;
  #shown: { key: string; frame: PreparedFrame } | undefined;

  /** @param onDropped takes each picture that is no longer kept */
  constructor(onDropped: (frame: PreparedFrame) => void) {
    this.#onDropped = onDropped;
  }

  of(key: string): PreparedFrame | undefined {
    return this.#shown?.key === key ? this.#shown.frame : undefined;
  }

  show(key: string, frame: PreparedFrame): void {
    this.#drop();
    this.#shown = { key, frame };
  }

  /** Drops the picture of this slice. */
  drop(key: string): void {
    if (this.#shown?.key === key) this.#drop();
  }

  /** Drops the picture of any other slice. */
  keepOnly(key: string | undefined): void {
    if (this.#shown?.key !== key) this.#drop();
  }

  #drop(): void {
    if (this.#shown) this.#onDropped(this.#shown.frame);
    this.#shown = undefined;
  }
}
