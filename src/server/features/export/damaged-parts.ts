import { isDamage } from "../../holdings/checking/find-lost.ts";
import { AppError } from "../../http/app-error.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";

/** Of images that are left out so many are named, in the whole of an export. */
const MAX_NAMES = 10_000;

/** What an export leaves out because it is damaged at rest or gone. */
export class DamagedParts {
  readonly parts: object[] = [];
  #namesLeft = MAX_NAMES;

  /** `leftOut`: the images of a volume that are; without it, all of the part. */
  add(part: object, error: unknown, leftOut?: string[]): void {
    const isGone = error instanceof AppError && error.options.cause instanceof ObjectNotFound;
    const images = leftOut?.slice(0, this.#namesLeft);
    this.#namesLeft -= images?.length ?? 0;
    const found = isGone ? "missing" : "damaged";
    this.parts.push({ ...part, found, leftOut: images ?? "all", leftOutCount: leftOut?.length });
  }

  /** What is read; undefined where it is noted here instead. */
  async unless(part: object, reading: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.add(part, error);
      return undefined;
    }
  }
}
