import { MIB } from "../../../../shared/units.ts";
import { IngestRefused } from "./worker.errors.ts";
import type { Lane } from "./worker-queue.ts";

/** The largest weight of an upload in each lane; `scanUpload` weighs it. */
export const MAX_WEIGHT_BYTES: Record<Lane, number> = {
  small: 64 * MIB,
  large: 4096 * MIB,
  huge: Number.POSITIVE_INFINITY,
};

/** Other uploads waited too long behind this one. */
export class Overdue extends Error {
  override name = "Overdue";
}

export function laneOf(weightBytes: number): Lane {
  if (weightBytes <= MAX_WEIGHT_BYTES.small) return "small";
  return weightBytes <= MAX_WEIGHT_BYTES.large ? "large" : "huge";
}

/** The lane in which an upload that was too much for its own is begun again; `undefined` for any other failure. */
export function laneAfter(error: unknown, lane: Lane): Lane | undefined {
  if (error instanceof Overdue && lane === "small") return "large";
  if (!(error instanceof IngestRefused) || error.failure !== "upload.heavy") return undefined;
  return laneOf(Number(error.detail));
}
