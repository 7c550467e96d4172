import { GIB, MIB } from "../../../../shared/units.ts";
import { DEFAULT_ZIP_LIMITS } from "../../../../shared/zip/zip-error.ts";
import { MAX_WEIGHT_BYTES } from "./work-lanes.ts";
import type { IngestLimits } from "./worker-messages.ts";

export const DEFAULT_INGEST_LIMITS: IngestLimits = {
  ...DEFAULT_ZIP_LIMITS,
  maxEntryBytes: 4 * GIB,
  maxInflatedBytes: 64 * GIB,
  maxHeldBytes: 32 * MIB,
  maxInstances: 100_000,
  maxStudies: 10_000,
  maxMetadataBytes: 2 * GIB - MIB,
  maxHeldMetadataBytes: 128 * MIB,
  maxIndexBytes: 192 * MIB,
  maxSkippedNames: 1000,
  maxDuplicateNames: 0,
  minGuessedBytes: MAX_WEIGHT_BYTES.small,
  timeoutMs: 15 * 60_000,
  maxMemoryBytes: 2 * GIB,
};

/** A trial account costs nothing to make, so its uploads may not take minutes of work. */
export const TRIAL_INGEST_LIMITS: IngestLimits = { ...DEFAULT_INGEST_LIMITS, maxInflatedBytes: 8 * GIB };
