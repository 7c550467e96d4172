import type { GivenReceipt } from "../../../shared/api/receipts.ts";
import type { Deps } from "../../deps.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { findStudy } from "../studies/access/find-study.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { makeReceipt, type ReceiptDeps } from "./make-receipt.ts";
import { receiptNotFound } from "./receipts.errors.ts";
import { digestManifests, findLastReceipt, findReceipt, listReceipts } from "./receipts.repo.ts";
import type { ReceiptRow } from "./receipts.table.ts";

/** A receipt with the study that it is of. */
export interface FoundReceipt {
  study: StudyRow;
  receipt: ReceiptRow;
}

/**
 * The receipt of what a study holds, or an earlier one by its root, for whoever may see the study. The first time it is made, which
 * reads all of the study; after that it stays as it is until instances are added.
 * @throws {AppError} `study.not_found`, `receipt.not_found`, `archive.damaged`, `receipt.too_large`, `receipt.not_ready`
 */
export async function readReceipt(
  deps: ReceiptDeps,
  caller: Caller,
  reference: string,
  root?: string,
): Promise<FoundReceipt> {
  const study = await findStudy(deps.db, caller, reference);
  if (isUnsound(study)) throw new AppError(archiveDamaged);
  return { study, receipt: await receiptOfStudy(deps, study, root) };
}

/** As {@link readReceipt}, for a study that was found already. */
export async function receiptOfStudy(deps: ReceiptDeps, study: StudyRow, root?: string): Promise<ReceiptRow> {
  if (root !== undefined) {
    const given = await findReceipt(deps.db, study.id, root);
    if (!given) throw new AppError(receiptNotFound);
    return given;
  }
  const last = await findLastReceipt(deps.db, study.id);
  const madeOf = await digestManifests(deps.db, study.id);
  if (last?.madeOf === madeOf) return last;
  const { id, accountId } = study;
  const asked = { id, accountId, madeOf };
  return await deps.receiptDesk.receiptOf(asked, (signal) => makeReceipt(deps, study, signal));
}

/** The receipts that were given for a study, newest first. @throws {AppError} `study.not_found` */
export async function readGivenReceipts(
  deps: Pick<Deps, "db">,
  caller: Caller,
  reference: string,
): Promise<GivenReceipt[]> {
  const study = await findStudy(deps.db, caller, reference);
  const rows = await listReceipts(deps.db, study.id);
  return rows.map(({ root, receivedAt, receivedFrom, instanceCount, sizeBytes }) => ({
    root,
    receivedAt: receivedAt.toISOString(),
    from: receivedFrom,
    images: instanceCount,
    sizeBytes,
  }));
}
