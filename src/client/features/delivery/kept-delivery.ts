import * as z from "zod/mini";
import { DELIVERY_DAYS_AFTER_EXPIRY, openedRequestSchema } from "../../../shared/api/deliveries.ts";
import { addDays } from "../../../shared/rules/days.ts";
import { crc32 } from "../../../shared/zip/crc32.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { localStore } from "../../runtime/browser-storage.ts";
import type { PlannedUpload } from "../upload/draft/plan-uploads.ts";
import type { PackableFile } from "../upload/pack-folder/pack-folder.ts";
import { serverIdOf } from "../upload/send/resume-records.ts";
import type { Parts, RefusedUpload } from "./delivery-state.ts";
import { sizeOfPlanned } from "./plan-delivery.ts";

const batchSchema = z.object({
  /** How many uploads it has. */
  total: z.number(),
  /** Those that arrived. */
  arrived: z.array(z.object({ key: z.string(), uploadId: z.string() })),
  /** Those that the server did not keep; `total` no longer counts them. */
  refused: z.optional(z.array(z.object({ fileName: z.string(), message: z.string() }))),
  /** The one that is sent, by its key and the row that the browser remembers of it. */
  sending: z.optional(z.object({ key: z.string(), rowId: z.string() })),
});

/** The uploads of the last choice, so that a later page asks only for what is missing. */
export type Batch = z.infer<typeof batchSchema>;

const keptSchema = z.object({
  token: z.string(),
  from: z.string(),
  request: openedRequestSchema,
  batch: z.optional(batchSchema),
});

/** What the browser keeps of a delivery, so that it goes on after a reload. */
export type KeptDelivery = z.infer<typeof keptSchema>;

const PREFIX = "delivery ";
const keyOf = (requestId: string) => `${PREFIX}${requestId}`;

export function readDelivery(requestId: string): KeptDelivery | undefined {
  const kept = keptSchema.safeParse(localStore.readJson(keyOf(requestId)));
  return kept.success ? kept.data : undefined;
}

export function keepDelivery(requestId: string, delivery: KeptDelivery | undefined): void {
  localStore.write(keyOf(requestId), delivery && JSON.stringify(delivery));
}

/**
 * Removes what is kept of deliveries of which the server opens nothing any more: it names patients, and clinics deliver every day.
 * @param openId the request that is open in this page: the server has just said that it is not over
 */
export function dropOverDeliveries(openId: string): void {
  const others = localStore.keys().filter((one) => one.startsWith(PREFIX) && one !== keyOf(openId));
  for (const key of others) {
    const { request } = readDelivery(key.slice(PREFIX.length)) ?? {};
    const end = request && addDays(new Date(request.expiresAt), DELIVERY_DAYS_AFTER_EXPIRY);
    if (!end || end.getTime() <= serverNow()) localStore.write(key, undefined);
  }
}

export function keepBatch(requestId: string, batch: Batch): void {
  const kept = readDelivery(requestId);
  if (kept) keepDelivery(requestId, { ...kept, batch });
}

/** The batch of a delivery, which has one upload if nothing else is known. */
export function batchOf(requestId: string): Batch {
  return readDelivery(requestId)?.batch ?? { total: 1, arrived: [] };
}

/** How much of a delivery has arrived. */
export function partsOf(requestId: string): Parts {
  const { arrived, total } = batchOf(requestId);
  return { arrived: arrived.length, total };
}

/** The batch of a delivery that stopped in the middle. */
export function unfinishedBatch(requestId: string): Batch | undefined {
  const batch = readDelivery(requestId)?.batch;
  return batch && batch.arrived.length < batch.total ? batch : undefined;
}

/** How much of a delivery that stopped in the middle has arrived. */
export function partsLeft(requestId: string): Parts | undefined {
  const { arrived, total } = partsOf(requestId);
  return arrived > 0 && arrived < total ? { arrived, total } : undefined;
}

/** Notes which upload is sent now, so that a later page knows which it goes on with. */
export function noteSending(requestId: string, planned: PlannedUpload, rowId: string): void {
  const batch = unfinishedBatch(requestId);
  if (batch) keepBatch(requestId, { ...batch, sending: { key: keyOfPlanned(planned), rowId } });
}

/** Notes that the upload that was sent has arrived. */
export function noteArrived(requestId: string, uploadId: string): void {
  const { sending, ...batch } = batchOf(requestId);
  if (batch.arrived.some((one) => one.uploadId === uploadId)) return;
  // Another page may send at the same time.
  const key = sending && serverIdOf(sending.rowId) === uploadId ? sending.key : "";
  keepBatch(requestId, { ...batch, arrived: [...batch.arrived, { key, uploadId }] });
}

/** Notes that the server did not keep the upload that was sent, so that nothing waits for it. */
export function noteRefused(requestId: string, one: RefusedUpload): void {
  const { sending, total, refused = [], ...batch } = batchOf(requestId);
  keepBatch(requestId, { ...batch, total: total - 1, refused: [...refused, one] });
}

/**
 * The key of an upload. It stays the same when the same files are picked again, and contains no names. An upload with unknown exams
 * has the empty key and is sent again.
 */
export function keyOfPlanned(planned: PlannedUpload): string {
  const { exams, files, isComplete } = planned;
  if (exams.length === 0 || !isComplete) return "";
  const told = [
    ...exams.map(({ studyInstanceUID }) => studyInstanceUID),
    ...files.map((one) => `${one.path} ${contentOf(one)}`),
  ];
  const sum = crc32(new TextEncoder().encode(told.join("\n")));
  return `${files.length} ${sizeOfPlanned(planned)} ${sum}`;
}

/** Tells a file from one that was written anew, as far as it can be told without reading it. */
function contentOf({ file, sizeBytes = file.size, entry }: PackableFile): string {
  if (entry) return String(entry.crc32);
  return file instanceof File ? `${sizeBytes} ${file.lastModified}` : String(sizeBytes);
}
