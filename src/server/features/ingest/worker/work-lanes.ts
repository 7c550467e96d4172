import { IngestRefused } from "./worker.errors.ts";
import type { Lane } from "./worker-queue.ts";

const MIB = 1024 * 1024;

/** What is up to so much work belongs to the lane; {@link scanUpload} weighs it. */
export const MAX_WEIGHT_BYTES: Record<Lane, number> = {
  small: 64 * MIB,
  large: 4096 * MIB,
  huge: Number.POSITIVE_INFINITY,
};

/** Others waited too long behind this. */
export class Overdue extends Error {
  override name = "Overdue";
}

export function laneOf(weightBytes: number): Lane {
  if (weightBytes <= MAX_WEIGHT_BYTES.small) return "small";
  return weightBytes <= MAX_WEIGHT_BYTES.large ? "large" : "huge";
}

/** Where an upload is begun again that was too much for its lane; `undefined` where it failed otherwise. */
export function laneAfter(error: unknown, lane: Lane): Lane | undefined {
  if (error instanceof Overdue && lane === "small") return "large";
  if (!(error instanceof IngestRefused) || error.failure !== "upload.heavy") return undefined;
  return laneOf(Number(error.detail));
}
