import { InstanceDamaged } from "../../archive/instance-reader.ts";
import { ManifestError } from "../../archive/manifest.errors.ts";
import type { Deps } from "../../deps.ts";
import {
  beginDerivative,
  leaveAlone,
  takeBackDerivative,
} from "../../holdings/derivatives/derivatives.repo.ts";
import { storeDerivative } from "../../holdings/derivatives/store-derivative.ts";
import { findStoredObject } from "../../holdings/objects/stored-objects.repo.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { DiskFull } from "../../storage/disk/disk-room.ts";
import { diskStateOf } from "../../storage/disk/disk-space.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";
import { type CopyDeps, copySeries, instancesToCopy } from "./copy-series.ts";
import { listUncopiedSeries, type SeriesToCopy } from "./derivatives.repo.ts";

type DerivativeDeps = CopyDeps & Pick<Deps, "db" | "clock" | "disk" | "node" | "store">;

const SERIES_AT_ONCE = 100;

/**
 * Makes the lossless copies that an archived study lacks, one series after the other, and records a row for each, whatever the
 * outcome. May be killed and run again. On a disk that is short of room nothing is made; the sweep asks again.
 * @throws when the archive store or the database can't be reached
 */
export async function makeDerivatives(
  deps: DerivativeDeps,
  studyId: string,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    const uncopied = await listUncopiedSeries(deps.db, studyId, SERIES_AT_ONCE);
    const fresh = uncopied.filter(({ manifest }) => !seen.has(manifest.id));
    if (fresh.length === 0) return;
    for (const series of fresh) {
      seen.add(series.manifest.id);
      if (diskStateOf(await deps.disk.space()) !== "ok") return;
      if ((await attemptCopy(deps, series, signal)) === "disk_full") return;
    }
  }
}

/** Makes one copy and records the attempt first, so that a series that ends this process is tried once more and never again. */
async function attemptCopy(
  deps: DerivativeDeps,
  series: SeriesToCopy,
  signal: AbortSignal,
): Promise<"settled" | "disk_full"> {
  signal.throwIfAborted();
  const { id: manifestId, studyId } = series.manifest;
  await beginDerivative(deps.db, { manifestId, studyId, at: deps.clock.now() });
  try {
    if (!(await copyAndStore(deps, series, signal))) await leaveAlone(deps.db, manifestId);
    return "settled";
  } catch (error) {
    if (isDamage(error)) {
      await leaveAlone(deps.db, manifestId);
      return "settled";
    }
    await takeBackDerivative(deps.db, manifestId);
    if (error instanceof DiskFull) return "disk_full";
    // It was replaced while it was read, so its replacement has its own job.
    if (error instanceof ObjectNotFound && !(await findStoredObject(deps.db, manifestId))) return "settled";
    throw error;
  }
}

async function copyAndStore(
  deps: DerivativeDeps,
  { accountId, manifest }: SeriesToCopy,
  signal: AbortSignal,
): Promise<boolean> {
  const images = instancesToCopy(await deps.series.manifest(manifest));
  if (images.length === 0) return false;
  const series = { accountId, studyId: manifest.studyId, manifestId: manifest.id };
  return await storeDerivative(
    deps,
    series,
    (writer) => copySeries(deps, { object: manifest, images }, writer, signal),
    signal,
  );
}

/** Whether the error means damage of the original; such a series has no copy until it is sent again. */
function isDamage(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === archiveDamaged;
  return error instanceof InstanceDamaged || error instanceof ManifestError || error instanceof RangeError;
}
