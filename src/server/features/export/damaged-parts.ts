import { isDamage } from "../../holdings/checking/find-lost.ts";
import { AppError } from "../../http/app-error.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";

/** The most names of omitted images that one export lists. */
const MAX_NAMES = 10_000;

/** Whether a part is left out because of this failure. */
export function isLeftOut(error: unknown): boolean {
  return isDamage(error) || isDeleted(error);
}

/** Whether a part was deleted while the export is sent: its object is gone, and nobody misses it. */
function isDeleted(error: unknown): boolean {
  return error instanceof ObjectNotFound;
}

/** Whether a part is left out because its object is not in the store any more. */
export function isGone(error: unknown): boolean {
  return isDeleted(error) || isMissing(error);
}

function isMissing(error: unknown): boolean {
  return error instanceof AppError && error.options.cause instanceof ObjectNotFound;
}

function findingOf(error: unknown): "deleted" | "missing" | "damaged" {
  if (isDeleted(error)) return "deleted";
  return isMissing(error) ? "missing" : "damaged";
}

/** The parts that an export leaves out because they are damaged in storage, missing or deleted meanwhile. */
export class DamagedParts {
  readonly parts: object[] = [];
  #namesLeft = MAX_NAMES;

  /** Records a part. `leftOut` names the omitted images of a volume; without it, the whole part is omitted. */
  add(part: object, error: unknown, leftOut?: string[]): void {
    const images = leftOut?.slice(0, this.#namesLeft);
    this.#namesLeft -= images?.length ?? 0;
    this.parts.push({
      ...part,
      found: findingOf(error),
      leftOut: images ?? "all",
      leftOutCount: leftOut?.length,
    });
  }

  /** Returns the bytes, or undefined if they are damaged, missing or deleted; the part is then recorded here. Other errors are thrown. */
  async readOrRecord(part: object, reading: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (!isLeftOut(error)) throw error;
      this.add(part, error);
      return undefined;
    }
  }
}
