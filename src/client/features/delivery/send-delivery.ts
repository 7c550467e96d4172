import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import type { Packing } from "../upload/draft/draft-state.ts";
import { type MakeOptions, makeUploads } from "../upload/draft/make-uploads.ts";
import type { PlannedUpload } from "../upload/draft/plan-uploads.ts";
import { reopenPacked } from "../upload/pack-folder/reopen-packed.ts";
import { endOnServer, outcomeOf, resumableTransport } from "../upload/send/resumable-transport.ts";
import { listRecords, serverIdOf } from "../upload/send/resume-records.ts";
import { holdRow, releaseRow } from "../upload/send/row-locks.ts";
import { isSameFile } from "../upload/send/same-file.ts";
import type { OutgoingUpload } from "../upload/send/send-upload.ts";
import { TransferMeter } from "../upload/send/transfer-meter.ts";
import type { Transfer } from "../upload/upload-state.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { BegunUpload, Delivered, Parts } from "./delivery-state.ts";
import { keepBatch, keyOfPlanned, noteArrived, noteSending, unfinishedBatch } from "./kept-delivery.ts";
import { sizeOfPlanned } from "./plan-delivery.ts";

interface SendOptions {
  requestId: string;
  onProgress: (transfer: Transfer, parts: Parts) => void;
  signal: AbortSignal;
}

interface SendAllOptions extends SendOptions {
  pack: MakeOptions["pack"];
  /** Called while nothing can be sent because the next upload is not packed yet. */
  onPacking: (packing: Packing) => void;
}

/**
 * Sends uploads one after the other, and packs the next one meanwhile. What of them arrived before a reload is not sent again; a ZIP
 * goes on where an earlier page stopped.
 * @throws {ApiError} why an upload was not stored; as {@link makeUploads}; the signal's reason when aborted
 */
export async function sendDelivery(
  uploads: readonly PlannedUpload[],
  { requestId, onProgress, onPacking, pack, signal }: SendAllOptions,
): Promise<Delivered[]> {
  const { arrived } = unfinishedBatch(requestId) ?? { arrived: [] };
  const known = new Set(arrived.map(({ key }) => key).filter(Boolean));
  const missing = uploads.filter((one) => !known.has(keyOfPlanned(one)));
  const total = arrived.length + missing.length;
  keepBatch(requestId, { total, arrived });
  const rows = await findHalfSent(requestId, missing);
  const totalBytes = missing.reduce((sum, one) => sum + sizeOfPlanned(one), 0);
  const meter = new TransferMeter();
  const delivered: Delivered[] = [];
  let [sentBytes, packedBefore, isSending] = [0, 0, false];
  const onPacked = (count: number) => {
    const { zip, files = [] } = missing[delivered.length] ?? {};
    if (!isSending && !zip) onPacking({ packed: count - packedBefore, total: files.length });
  };
  for await (const { upload, source } of makeUploads(missing, { pack, onPacked, signal })) {
    const planned = missing[delivered.length];
    const { zip, fileName } = upload;
    const packedName = source.kind === "folder" && zip instanceof File ? zip.name : undefined;
    const id = (planned && rows.get(planned)) ?? crypto.randomUUID();
    const outgoing = { id, userId: requestId, kind: source.kind, packedName, zip, fileName, metadata: {} };
    isSending = true;
    try {
      if (planned) noteSending(requestId, planned, id);
      const parts = { arrived: arrived.length + delivered.length, total };
      const one = await sendOne(outgoing, {
        ...{ requestId, signal },
        onProgress(loaded) {
          const loadedBytes = sentBytes + loaded;
          const reading = meter.read(performance.now(), loadedBytes, totalBytes);
          onProgress({ loadedBytes, totalBytes, ...reading }, parts);
        },
      });
      delivered.push(one);
    } finally {
      await upload.dispose();
    }
    isSending = false;
    sentBytes += zip.size;
    if (planned && !planned.zip) packedBefore += planned.files.length;
  }
  return delivered;
}

/** Sends on what an earlier page packed and did not send whole. @throws as {@link sendDelivery} */
export async function sendBegun(
  { rowId: id, zip, fileName, dispose }: BegunUpload,
  { requestId, onProgress, signal }: SendOptions,
): Promise<Delivered> {
  const packedName = zip instanceof File ? zip.name : undefined;
  const { arrived = [], total = 1 } = unfinishedBatch(requestId) ?? {};
  const meter = new TransferMeter();
  try {
    return await sendOne(
      { id, userId: requestId, kind: "folder", packedName, zip, fileName, metadata: {} },
      {
        ...{ requestId, signal },
        onProgress(loadedBytes, totalBytes) {
          const reading = meter.read(performance.now(), loadedBytes, totalBytes);
          onProgress({ loadedBytes, totalBytes, ...reading }, { arrived: arrived.length, total });
        },
      },
    );
  } finally {
    await dispose();
  }
}

interface SendOneOptions {
  requestId: string;
  onProgress: (loadedBytes: number, totalBytes: number) => void;
  signal: AbortSignal;
}

async function sendOne(
  outgoing: OutgoingUpload,
  { requestId, onProgress, signal }: SendOneOptions,
): Promise<Delivered> {
  const { id } = outgoing;
  // A page that is opened meanwhile does not send it, too.
  await holdRow(id);
  try {
    const answer = await resumableTransport.send(outgoing, { signal, onProgress });
    const uploadId = serverIdOf(id);
    noteArrived(requestId, uploadId);
    return { uploadId, answer };
  } finally {
    releaseRow(id);
  }
}

/**
 * The rows of ZIPs that an earlier page sent in part. Any other upload that it began is dropped: it would only take room.
 */
async function findHalfSent(
  requestId: string,
  missing: readonly PlannedUpload[],
): Promise<Map<PlannedUpload, string>> {
  const states = new Map((await deliveryApi.uploads()).map(({ id, state }) => [id, state]));
  const rows = new Map<PlannedUpload, string>();
  for (const record of listRecords(requestId)) {
    if (states.get(serverIdOf(record.id)) !== "receiving") continue;
    let same: PlannedUpload | undefined;
    for (const one of record.kind === "zip" ? missing : [])
      if (!rows.has(one) && one.zip && (await isSameFile(one.zip, one.fileName, record))) same ??= one;
    if (same) rows.set(same, record.id);
    else await endOnServer(record.id);
  }
  return rows;
}

/**
 * Opens the folder that an earlier page packed and did not send whole. Undefined if it is gone, or if another page is at it.
 */
export async function reopenDelivery(
  requestId: string,
  { id, filename }: ResumableUploadState,
): Promise<BegunUpload | undefined> {
  const record = listRecords(requestId).find((one) => serverIdOf(one.id) === id);
  if (record?.packedName === undefined || !(await holdRow(record.id))) return undefined;
  const packed = await reopenPacked(record.packedName, record.sizeBytes);
  if (!packed) {
    releaseRow(record.id);
    return undefined;
  }
  return { ...packed, fileName: filename, rowId: record.id };
}

/**
 * Waits for what becomes of an upload that another page sent whole.
 * @throws {ApiError} why nothing was stored; the signal's reason when aborted
 */
export async function awaitDelivery(
  requestId: string,
  upload: ResumableUploadState,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const answer = await outcomeOf(upload.id, signal);
  noteArrived(requestId, upload.id);
  const packed = await reopenDelivery(requestId, upload);
  if (!packed) return answer;
  await packed.dispose();
  releaseRow(packed.rowId);
  return answer;
}
