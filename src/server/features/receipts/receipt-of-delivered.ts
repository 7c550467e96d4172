import type { Receipt, ReceivedInstance } from "../../../shared/api/receipts.ts";
import { receiptLine } from "../../../shared/rules/receipt-lines.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { composeReceipt, placeInstances, type ReceiptDeps, sign } from "./make-receipt.ts";
import { receiptOfStudy } from "./read-receipt.ts";
import { receiptOf } from "./receipt-payload.ts";
import { receiptNotFound } from "./receipts.errors.ts";
import { findReceiptMadeOf } from "./receipts.repo.ts";
import type { ReceiptRow } from "./receipts.table.ts";

/** What somebody without an account delivered of a study. */
export interface Delivered {
  from: string;
  receivedAt: Date;
  /** The volumes that they brought. */
  volumeIds: readonly string[];
  /** Instances that they sent at once, those included that were there already, but none twice. */
  images: number;
}

/**
 * The receipt of what somebody delivered of a study. They read of no instance that they did not bring, unless they sent as many as the
 * study has, which `isOfWhole` says. That of a whole study is the owner's own receipt; any other is signed for this answer and not kept.
 * @throws {AppError} `receipt.not_found` if nothing of it is there; as {@link receiptOfStudy}
 */
export async function receiptOfDelivered(
  deps: ReceiptDeps,
  study: StudyRow,
  { from, receivedAt, volumeIds, images }: Delivered,
): Promise<{ receipt: ReceiptRow; isOfWhole: boolean }> {
  if (isUnsound(study)) throw new AppError(archiveDamaged);
  const whole = await receiptOfStudy(deps, study);
  const isWhole = images >= whole.instanceCount || whole.volumeIds.every((id) => volumeIds.includes(id));
  if (isWhole && whole.receivedFrom === from) return { receipt: whole, isOfWhole: true };
  const { instances } = await receiptOf(whole);
  const own = isWhole ? instances : await deliveredOf(deps, study, { instances, volumeIds, images });
  const isOfWhole = own.length === instances.length;
  if (isOfWhole && whole.receivedFrom === from) return { receipt: whole, isOfWhole };
  if (own.length === 0) throw new AppError(receiptNotFound);
  const { studyId, madeOf } = whole;
  const receipt = composeReceipt(study, { from, receivedAt, instances: own });
  return { receipt: await sign(deps, receipt, { studyId, madeOf, volumeIds: [...volumeIds] }), isOfWhole };
}

async function deliveredOf(
  deps: ReceiptDeps,
  study: StudyRow,
  { instances, volumeIds, images }: Pick<Delivered, "volumeIds" | "images"> & Pick<Receipt, "instances">,
): Promise<ReceivedInstance[]> {
  const { placed } = await placeInstances(deps, study);
  const keyOf = ({ sopInstanceUID, sizeBytes }: Pick<ReceivedInstance, "sopInstanceUID" | "sizeBytes">) =>
    `${sopInstanceUID} ${sizeBytes}`;
  const ofDelivery = new Set(volumeIds);
  const [brought, others] = [new Set<string>(), new Set<string>()];
  for (const [volumeId, ofVolume] of placed) {
    for (const instance of ofVolume) {
      // What an upload of the owner healed lies in the volume of that upload.
      const ids = [volumeId, ...(instance.formerVolumeIds ?? [])];
      const keys = ids.some((id) => ofDelivery.has(id)) ? brought : others;
      keys.add(keyOf(instance));
    }
  }
  // Of two instances of one size under one UID, a receipt does not tell which one they sent, and it must not tell of the other.
  const known = instances.filter((instance) => brought.has(keyOf(instance)) && !others.has(keyOf(instance)));
  if (known.length >= images) return known;
  const isKnown = new Set(known);
  const before = await linesBefore(deps, study, volumeIds);
  return instances.filter((instance) => isKnown.has(instance) || before.has(receiptLine(instance)));
}

/**
 * The lines of an earlier receipt that was made of nothing but what they brought. Manifests of older releases do not say which volumes
 * held what was healed since.
 */
async function linesBefore(
  deps: ReceiptDeps,
  study: StudyRow,
  volumeIds: readonly string[],
): Promise<Set<string>> {
  const earlier = await findReceiptMadeOf(deps.db, study.id, volumeIds);
  return new Set(earlier && (await receiptOf(earlier)).instances.map(receiptLine));
}
