import {
  type KeptInstance,
  type KeptInstances,
  MAX_KEPT_INSTANCES,
} from "../../../shared/api/kept-instances.ts";
import type { Deps } from "../../deps.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { AppError } from "../../http/app-error.ts";
import { findStudy } from "./access/find-study.ts";
import { studyNotFound } from "./studies.errors.ts";
import type { Caller } from "./studies.repo.ts";
import { listStoredSeries } from "./study-contents.repo.ts";

const NOT_TOLD: KeptInstances = { isComplete: false, instances: [] };

/**
 * The files of a study of the caller's own account, other bytes under the same SOP Instance UID included. Nothing of a damaged
 * study, which an upload heals.
 * @throws {AppError} `study.not_found`, also for a study of another account that the caller may see
 */
export async function listKeptInstances(
  { db, series }: Pick<Deps, "db" | "series">,
  caller: Caller,
  reference: string,
): Promise<KeptInstances> {
  const study = await findStudy(db, caller, reference);
  if (study.accountId !== caller.userId) throw new AppError(studyNotFound);
  if (isUnsound(study) || study.instanceCount > MAX_KEPT_INSTANCES) return NOT_TOLD;
  const instances: KeptInstance[] = [];
  for (const { manifest } of await listStoredSeries(db, study.id)) {
    const { instances: shown, variants = [] } = await series.manifest(manifest);
    for (const { sopInstanceUID, sizeBytes, crc32 } of [...shown, ...variants])
      instances.push({ sopInstanceUID, sizeBytes, crc32 });
    if (instances.length > MAX_KEPT_INSTANCES) return NOT_TOLD;
  }
  return { isComplete: true, instances };
}
