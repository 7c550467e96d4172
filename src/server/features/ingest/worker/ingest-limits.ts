import { totalmem } from "node:os";
import { GIB, MIB } from "../../../../shared/units.ts";
import { DEFAULT_ZIP_LIMITS } from "../../../../shared/zip/zip-error.ts";
import { MAX_WEIGHT_BYTES } from "./work-lanes.ts";
import type { IngestLimits } from "./worker-messages.ts";

/** What this machine has, or its container may take. */
const memoryBytes = Math.min(process.constrainedMemory() || totalmem(), totalmem());
/** 100,000 images take about 600 MiB. On a small machine the database and another upload need the rest. */
const MAX_MEMORY_BYTES = Math.min(2 * GIB, Math.max(512 * MIB, memoryBytes / 3));

export const DEFAULT_INGEST_LIMITS: IngestLimits = {
  ...DEFAULT_ZIP_LIMITS,
  maxEntryBytes: 4 * GIB,
  maxInflatedBytes: 64 * GIB,
  maxHeldBytes: 32 * MIB,
  maxInstances: 100_000,
  maxVariants: 16,
  maxStudies: 10_000,
  maxMetadataBytes: 2 * GIB - MIB,
  maxHeldMetadataBytes: 128 * MIB,
  maxIndexBytes: 192 * MIB,
  maxSkippedNames: 1000,
  maxDuplicateNames: 0,
  minGuessedBytes: MAX_WEIGHT_BYTES.small,
  timeoutMs: 15 * 60_000,
  maxMemoryBytes: MAX_MEMORY_BYTES,
};

/** For what was acknowledged one by one, where nothing may be left out any more. JSON has no infinity. */
export const ALL_VARIANTS = Number.MAX_SAFE_INTEGER;

/** A trial account costs nothing to make, so its uploads may not take minutes of work. */
export const TRIAL_INGEST_LIMITS: IngestLimits = { ...DEFAULT_INGEST_LIMITS, maxInflatedBytes: 8 * GIB };
