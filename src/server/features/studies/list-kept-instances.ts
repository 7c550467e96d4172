import {
  type KeptInstance,
  type KeptInstances,
  MAX_KEPT_INSTANCES,
} from "../../../shared/api/kept-instances.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { noteVanished } from "../../holdings/checking/note-vanished.ts";
import { AppError } from "../../http/app-error.ts";
import type { FairTurns } from "../../runtime/fair-turns.ts";
import { findStudy } from "./access/find-study.ts";
import { type DamageDeps, soundnessOf } from "./damaged-instances.ts";
import { studyNotFound } from "./studies.errors.ts";
import type { Caller } from "./studies.repo.ts";
import { listStoredSeries } from "./study-contents.repo.ts";

/** How long a caller waits until their study's volumes are asked for. */
const MAX_WAIT_MS = 5_000;

const NOT_TOLD: KeptInstances = { isComplete: false, instances: [], damaged: [] };

/**
 * The files of a study of the caller's own account, other bytes under the same SOP Instance UID included. Those that are damaged, or gone
 * though nobody noticed it, are listed apart: an upload heals them.
 * @throws {AppError} `study.not_found`, also for a study of another account that the caller may see
 */
export async function listKeptInstances(
  deps: DamageDeps & { looking: FairTurns },
  caller: Caller,
  reference: string,
): Promise<KeptInstances> {
  const found = await findStudy(deps.db, caller, reference);
  if (found.accountId !== caller.userId) throw new AppError(studyNotFound);
  if (found.instanceCount > MAX_KEPT_INSTANCES) return NOT_TOLD;
  const isGone = !isUnsound(found) && (await findsGone(deps, found));
  const study = isGone ? await findStudy(deps.db, caller, found.id) : found;
  const instances: KeptInstance[] = [];
  const damaged: KeptInstance[] = [];
  for await (const { files } of soundnessOf(deps, study.id, { isMarked: isUnsound(study) })) {
    if (!files) return NOT_TOLD;
    instances.push(...files.sound.map(present));
    damaged.push(...files.damaged.map(present));
    if (instances.length + damaged.length > MAX_KEPT_INSTANCES) return NOT_TOLD;
  }
  // A mark without a known place: all of it is to be sent again.
  if (isUnsound(study) && damaged.length === 0) return NOT_TOLD;
  return { isComplete: true, instances, damaged };
}

/** Asks the store for the size of each volume and manifest, in turn with other callers; whoever waits too long is told what is known. */
async function findsGone(
  { looking, ...deps }: DamageDeps & { looking: FairTurns },
  { id, accountId }: { id: string; accountId: string },
): Promise<boolean> {
  const late = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    using _ = await looking.take(accountId, late);
    const manifests = (await listStoredSeries(deps.db, id)).map(({ manifest }) => manifest);
    return (await noteVanished(deps, [{ studyId: id, manifests }])).length > 0;
  } catch (error) {
    if (error === late.reason) return false;
    throw error;
  }
}

function present({ sopInstanceUID, sizeBytes, crc32 }: KeptInstance): KeptInstance {
  return { sopInstanceUID, sizeBytes, crc32 };
}
