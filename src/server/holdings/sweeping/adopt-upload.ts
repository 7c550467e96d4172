import type { Deps } from "../../deps.ts";
import { isSwept } from "../../nodes/nodes.repo.ts";
import { forgetStagedCopies, listObjectsOfUpload } from "../objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../objects/stored-objects.table.ts";
import { isCopied, removeCopies, switchCopied } from "../transfer/transfer-upload.ts";

/**
 * Finishes a committed upload of a dead node. Objects that reached the store are used from there. The others are only on that
 * node's disk: they stay recorded, and their studies show `error` until the node comes back with its disk. If the node beats again,
 * the upload is left to it. Idempotent.
 */
export async function adoptUpload(
  deps: Pick<Deps, "db" | "jobs" | "store" | "owners">,
  nodeId: string,
  uploadId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await isSwept(deps.db, nodeId))) return;
  const theirs = (await listObjectsOfUpload(deps.db, uploadId)).filter(({ stagedOn }) => stagedOn === nodeId);
  const staged = theirs.filter(({ location }) => location === "staging");
  const copied: StoredObjectRow[] = [];
  for (const object of staged) {
    if (await isCopied(deps.store, object, signal)) copied.push(object);
  }
  const orphans = await deps.db.transaction(async (tx) => {
    const orphaned = await switchCopied(deps, tx, uploadId, copied);
    await deps.owners.studies.settle(tx, uploadId);
    for (const studyId of new Set(theirs.map((object) => object.studyId))) {
      await deps.owners.studies.archived(tx, studyId);
    }
    return orphaned;
  });
  await removeCopies(
    deps,
    orphans.map(({ key }) => key),
  );
  const archived = theirs.filter((object) => !staged.includes(object) || copied.includes(object));
  await forgetStagedCopies(
    deps.db,
    uploadId,
    archived.map(({ id }) => id),
  );
  if (copied.length < staged.length) await deps.owners.studies.showStaged(deps.db, uploadId, "error");
}
