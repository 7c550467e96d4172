import { METHOD_STORED } from "../../../shared/zip/zip-format.ts";
import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import type { LentBytes } from "../../runtime/lent-bytes.ts";
import type { InstanceBytes } from "./dicomweb.catalogue.ts";
import { findInstance } from "./find-instance.ts";
import { lendableRun } from "./frame-bytes.ts";

/** For this long it is likely that who was allowed a series still is. */
const REMEMBERED_MS = 10_000;
const MAX_REMEMBERED = 256;
const MAX_KEY_CHARACTERS = 4_096;
/** Each may hold a buffer of two megabytes. With more requests than this, the server has other work while it waits. */
const MAX_AT_ONCE = 2;

/** A frame that is read while the request's access is looked up. Disposing gives it up, unless it was taken. */
export interface FrameAhead extends Disposable {
  /**
   * The frame, if it is this one and was begun. The caller releases it.
   * @throws as {@link InstanceBytes.borrow}
   */
  take(instance: ManifestInstance, frameIndex: number): Promise<LentBytes | undefined>;
}

interface Allowed {
  bytes: Pick<InstanceBytes, "borrow">;
  /** Weakly, since the cache that holds manifests is bounded by their size. */
  manifest: WeakRef<SeriesManifest>;
  untilMs: number;
}

/**
 * Reads a frame's bytes while the database is asked whether the caller may have it. It does so only for callers whom the database
 * allowed the same series, by the same proof, a moment ago. Nothing of the frame leaves before this request's own answer says so.
 */
export class ReadAhead {
  readonly #allowed = new Map<string, Allowed>();
  #running = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Records that the caller was just allowed the series. `key` names the caller's proof and the series. */
  remember(key: string, bytes: Allowed["bytes"], manifest: SeriesManifest): void {
    const known = this.#allowed.get(key);
    const untilMs = this.now() + REMEMBERED_MS;
    if (known && known.manifest.deref() === manifest) {
      known.untilMs = untilMs;
      return;
    }
    if (key.length > MAX_KEY_CHARACTERS) return;
    const [oldest] = this.#allowed.keys();
    if (this.#allowed.size >= MAX_REMEMBERED && oldest !== undefined) this.#allowed.delete(oldest);
    this.#allowed.delete(key);
    this.#allowed.set(key, { bytes, manifest: new WeakRef(manifest), untilMs });
  }

  /** Begins a frame once what was asked of the database is on its way. Undefined if it is not worth it, or not known. */
  begin(key: string, sopInstanceUID: string, frameIndex: number): FrameAhead | undefined {
    const allowed = this.#allowed.get(key);
    if (!allowed || this.#running >= MAX_AT_ONCE) return undefined;
    const manifest = allowed.manifest.deref();
    if (!manifest || this.now() > allowed.untilMs) {
      this.#allowed.delete(key);
      return undefined;
    }
    const instance = findInstance(manifest, sopInstanceUID);
    const run = instance?.method === METHOD_STORED ? lendableRun(instance, frameIndex) : undefined;
    if (!instance || !run) return undefined;
    this.#running++;
    return new ReadingFrame(
      { instance, frameIndex },
      () => allowed.bytes.borrow(instance, run),
      () => this.#running--,
    );
  }
}

class ReadingFrame implements FrameAhead {
  #reading: Promise<LentBytes> | undefined;
  #isOver = false;

  constructor(
    private readonly frame: { instance: ManifestInstance; frameIndex: number },
    read: () => Promise<LentBytes>,
    private readonly leave: () => void,
  ) {
    // The driver writes what was asked of it in the next round of the event loop.
    setImmediate(() =>
      setImmediate(() => {
        if (this.#isOver) return;
        this.#reading = read();
        // Nobody waits for it yet.
        this.#reading.catch(() => {});
      }),
    );
  }

  async take(instance: ManifestInstance, frameIndex: number): Promise<LentBytes | undefined> {
    const reading = this.#reading;
    const isThis = instance === this.frame.instance && frameIndex === this.frame.frameIndex;
    if (reading && !isThis) return undefined;
    this.#reading = undefined;
    this.#end();
    return await reading;
  }

  [Symbol.dispose](): void {
    const reading = this.#reading;
    this.#reading = undefined;
    reading?.then(
      (lent) => {
        lent.release();
        this.#end();
      },
      () => this.#end(),
    );
    if (!reading) this.#end();
  }

  /** Once. */
  #end(): void {
    if (!this.#isOver) this.leave();
    this.#isOver = true;
  }
}
