import type { Locale } from "../../../shared/locale.ts";
import type { ZipStream } from "../../archive/zip-stream.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { AppError } from "../../http/app-error.ts";
import { tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { receiptOfStudy } from "../receipts/read-receipt.ts";
import { drawReceipts } from "../receipts/receipt-paper.ts";
import { signedReceipt } from "../receipts/receipt-payload.ts";
import { receiptNotReady, receiptTooLarge } from "../receipts/receipts.errors.ts";
import { findNextReceipt } from "../receipts/receipts.repo.ts";
import { studyNotFound } from "../studies/studies.errors.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { isLeftOut } from "./damaged-parts.ts";
import type { ExportDeps } from "./export-deps.ts";

/**
 * How often a receipt is waited for that is still being made: all of a large exam is read for it. Nothing is sent meanwhile, and proxies
 * cut an answer that is silent for a minute.
 */
const MAX_WAITS = 2;
/** The export goes on without the receipt of an exam that is too large or was deleted, and of any while too many are made. */
const WITHOUT_RECEIPT = [receiptTooLarge, studyNotFound, tooManyReads];

/**
 * Sends the receipts of a study, each as JSON and on paper, and returns the files of the former: that of what the study holds now, and
 * the earlier ones.
 */
export async function* exportReceipts(
  deps: ExportDeps,
  zip: ZipStream,
  study: StudyRow,
  locale: Locale,
): AsyncGenerator<Uint8Array, string[]> {
  await makeIfNone(deps, study);
  const { db, config } = deps;
  const files: string[] = [];
  for (let last: string | undefined; ; ) {
    const receipt = await findNextReceipt(db, study.id, last);
    if (!receipt) return files;
    last = receipt.id;
    const name = `receipts/${study.id}-${files.length + 1}`;
    yield* zip.file(`${name}.json`, ...(await Array.fromAsync(signedReceipt(receipt))));
    yield* zip.file(
      `${name}.pdf`,
      await drawReceipts({ receipts: [{ study, receipt }] }, { ...config, locale }),
    );
    files.push(`${name}.json`);
  }
}

/** Makes the receipt of what a study holds, which is made the first time that somebody wants it. */
async function makeIfNone(deps: ExportDeps, study: StudyRow): Promise<void> {
  if (isUnsound(study)) return;
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    try {
      await receiptOfStudy(deps, study);
      return;
    } catch (error) {
      if (isOfKind(error, receiptNotReady)) continue;
      if (isLeftOut(error) || WITHOUT_RECEIPT.some((kind) => isOfKind(error, kind))) return;
      throw error;
    }
  }
}

function isOfKind(error: unknown, kind: AppError["kind"]): boolean {
  return error instanceof AppError && error.kind === kind;
}
