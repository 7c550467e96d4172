import type { LabExam, LabUpload } from "../../../shared/api/labs.ts";
import type { DbOrTx, Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { type StoredDocument, storeDocument } from "../../holdings/uploads/store-document.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { chargeExams } from "../subscriptions/charge-exams.ts";
import { assertStorageFits } from "../subscriptions/storage-quota.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { labKeyUsed } from "./labs.errors.ts";
import { findLabExamSentAs, insertLabExam, type LabExamRow } from "./labs.repo.ts";
import { presentLabExam } from "./present-lab-exam.ts";

type UploadInput = LabUpload & { pdf: Uint8Array; idempotencyKey?: string | undefined };

/** The exam came before, and only its answer was lost. */
class SentBefore extends Error {
  override name = "SentBefore";
  constructor(readonly exam: LabExamRow) {
    super("sent before");
  }
}

/**
 * Stores a laboratory PDF; it counts as one lab exam of the plan. One that was sent before under the same key is answered as then,
 * and counts no more.
 * @throws {AppError} `quota.*`, `subscription.required`; `lab.key_used` for another exam under the key
 */
export async function uploadLabExam(
  deps: Pick<Deps, "db" | "disk" | "node" | "store" | "clock" | "log">,
  session: Session,
  input: UploadInput,
  origin: RequestOrigin,
): Promise<LabExam> {
  const { userId } = session;
  try {
    await assertNew(deps.db, userId, input);
    await assertStorageFits(deps.db, { id: userId, isCaller: true }, input.pdf.length);
    return await storeDocument(deps, userId, input.pdf, (tx, document) =>
      addExam(deps, tx, { userId, input, document, origin }),
    );
  } catch (error) {
    if (error instanceof SentBefore) return presentLabExam(error.exam);
    throw error;
  }
}

async function addExam(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  added: { userId: string; input: UploadInput; document: StoredDocument; origin: RequestOrigin },
): Promise<LabExam> {
  const { userId, input, document, origin } = added;
  // The lock comes before the time is read, so that a cancellation runs either wholly before (this upload is refused) or wholly
  // after (it removes this exam too).
  await lockSubscription(tx, userId);
  await assertNew(tx, userId, input);
  const now = clock.now();
  const { id, key, sizeBytes, sha256 } = document;
  await chargeExams(tx, { userId, isAdmin: false }, { kind: "lab", count: 1, bytes: sizeBytes }, now);
  const row = {
    id,
    accountId: userId,
    key,
    sizeBytes,
    sha256,
    createdAt: now,
    ...valuesOf(input),
    idempotencyKey: input.idempotencyKey ?? null,
  };
  await insertLabExam(tx, row);
  await recordAudit(tx, {
    at: now,
    action: "lab.uploaded",
    actorId: userId,
    accountId: userId,
    details: { id },
    ...origin,
  });
  return presentLabExam(row);
}

const valuesOf = ({ examName, modality, examDate }: LabUpload) => ({
  name: examName,
  modality,
  examDate: examDate || null,
});

/** @throws {SentBefore} @throws {AppError} `lab.key_used` */
async function assertNew(db: DbOrTx, userId: string, input: UploadInput): Promise<void> {
  const { idempotencyKey, pdf } = input;
  const before = idempotencyKey && (await findLabExamSentAs(db, userId, idempotencyKey));
  if (!before) return;
  const { name, modality, examDate } = valuesOf(input);
  const sha256 = new Bun.CryptoHasher("sha256").update(pdf).digest("hex");
  const isSame =
    before.sha256 === sha256 &&
    before.name === name &&
    before.modality === modality &&
    before.examDate === examDate;
  if (!isSame) throw new AppError(labKeyUsed);
  throw new SentBefore(before);
}
