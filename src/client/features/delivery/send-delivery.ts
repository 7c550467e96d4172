import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import { ApiError } from "../../calls/api.ts";
import { PageOutdated } from "../../runtime/page-outdated.ts";
import { randomId } from "../../runtime/random-id.ts";
import type { Packing } from "../upload/draft/draft-state.ts";
import { type MakeOptions, makeUploads } from "../upload/draft/make-uploads.ts";
import type { PlannedUpload } from "../upload/draft/plan-uploads.ts";
import type { PackedFolder } from "../upload/pack-folder/packed-folder.ts";
import { reopenPacked } from "../upload/pack-folder/reopen-packed.ts";
import { endOnServer, outcomeOf, resumableTransport } from "../upload/send/resumable-transport.ts";
import { listRecords, serverIdOf } from "../upload/send/resume-records.ts";
import { holdRow, releaseRow } from "../upload/send/row-locks.ts";
import { isSameFile } from "../upload/send/same-file.ts";
import type { OutgoingUpload } from "../upload/send/send-upload.ts";
import { TransferMeter } from "../upload/send/transfer-meter.ts";
import type { Transfer } from "../upload/upload-state.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { BegunUpload, Parts } from "./delivery-state.ts";
import {
  keepBatch,
  keyOfPlanned,
  noteArrived,
  noteRefused,
  noteSending,
  partsOf,
  unfinishedBatch,
} from "./kept-delivery.ts";
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
 * goes on where an earlier page stopped. What arrived, and what the server does not want, is noted with the delivery.
 * @throws {ApiError} why no more can be sent; as {@link makeUploads}; the signal's reason when aborted
 */
export async function sendDelivery(
  uploads: readonly PlannedUpload[],
  { requestId, onProgress, onPacking, pack, signal }: SendAllOptions,
): Promise<void> {
  const { arrived } = unfinishedBatch(requestId) ?? { arrived: [] };
  const known = new Set(arrived.map(({ key }) => key).filter(Boolean));
  const missing = uploads.filter((one) => !known.has(keyOfPlanned(one)));
  keepBatch(requestId, { total: arrived.length + missing.length, arrived });
  const rows = await findHalfSent(requestId, missing);
  const totalBytes = missing.reduce((sum, one) => sum + sizeOfPlanned(one), 0);
  const meter = new TransferMeter();
  let [place, sentBytes, packedBefore, isSending] = [0, 0, 0, false];
  const onPacked = (count: number) => {
    const { zip, files = [] } = missing[place] ?? {};
    if (!isSending && !zip) onPacking({ packed: count - packedBefore, total: files.length });
  };
  for await (const { upload, source } of makeUploads(missing, { pack, onPacked, signal })) {
    const planned = missing[place];
    const { zip, fileName } = upload;
    const packedName = source.kind === "folder" && zip instanceof File ? zip.name : undefined;
    const id = (planned && rows.get(planned)) ?? randomId();
    const outgoing = { id, userId: requestId, kind: source.kind, packedName, zip, fileName, metadata: {} };
    isSending = true;
    try {
      if (planned) noteSending(requestId, planned, id);
      const parts = partsOf(requestId);
      await sendOne(outgoing, {
        requestId,
        signal,
        ...reports(meter, (transfer) => onProgress(transfer, parts), { sentBytes, totalBytes }),
      });
    } catch (error) {
      await disposeAfter(error, upload);
      throw error;
    }
    await upload.dispose();
    isSending = false;
    place++;
    sentBytes += zip.size;
    if (planned && !planned.zip) packedBefore += planned.files.length;
  }
}

/** Sends on what an earlier page packed and did not send whole. @throws as {@link sendDelivery} */
export async function sendBegun(
  { rowId: id, zip, fileName, dispose }: BegunUpload,
  { requestId, onProgress, signal }: SendOptions,
): Promise<void> {
  const packedName = zip instanceof File ? zip.name : undefined;
  const parts = partsOf(requestId);
  const meter = new TransferMeter();
  try {
    await sendOne(
      { id, userId: requestId, kind: "folder", packedName, zip, fileName, metadata: {} },
      {
        requestId,
        signal,
        ...reports(meter, (transfer) => onProgress(transfer, parts), { sentBytes: 0, totalBytes: zip.size }),
      },
    );
  } catch (error) {
    await disposeAfter(error, { dispose });
    throw error;
  }
  await dispose();
}

/** What the sending of one upload tells, as the transfer of all: `sentBytes` of them went before it. */
function reports(
  meter: TransferMeter,
  tell: (transfer: Transfer) => void,
  { sentBytes, totalBytes }: { sentBytes: number; totalBytes: number },
): Pick<SendOneOptions, "onProgress" | "onWaiting"> {
  let transfer: Transfer = { loadedBytes: sentBytes, totalBytes };
  return {
    onProgress(loaded) {
      const loadedBytes = sentBytes + loaded;
      transfer = { loadedBytes, totalBytes, ...meter.read(performance.now(), loadedBytes, totalBytes) };
      tell(transfer);
    },
    onWaiting(waitsForRoom) {
      if (waitsForRoom === Boolean(transfer.waitsForRoom)) return;
      transfer = { ...transfer, waitsForRoom };
      tell(transfer);
    },
  };
}

/** What was packed is kept for the page that is loaded instead of this one. */
async function disposeAfter(error: unknown, packed: Pick<PackedFolder, "dispose">): Promise<void> {
  if (!(error instanceof PageOutdated)) await packed.dispose();
}

interface SendOneOptions {
  requestId: string;
  onProgress: (loadedBytes: number) => void;
  onWaiting: (waits: boolean) => void;
  signal: AbortSignal;
}

async function sendOne(
  outgoing: OutgoingUpload,
  { requestId, onProgress, onWaiting, signal }: SendOneOptions,
): Promise<void> {
  const { id, fileName } = outgoing;
  // A page that is opened meanwhile does not send it, too.
  await holdRow(id);
  try {
    await resumableTransport.send(outgoing, { signal, onProgress, onWaiting });
    noteArrived(requestId, serverIdOf(id));
  } catch (error) {
    noteRefused(requestId, { fileName, message: assertRefused(error).message });
  } finally {
    releaseRow(id);
  }
}

/** What is wrong with one upload, or too much for the account; others of the delivery may still go. */
const REFUSALS: ReadonlySet<number> = new Set([403, 413, 415, 422]);

/** @throws any other failure */
function assertRefused(error: unknown): ApiError {
  if (error instanceof ApiError && REFUSALS.has(error.status)) return error;
  throw error;
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
 * Waits for what becomes of an upload that another page sent whole, and notes it with the delivery.
 * @throws {ApiError} if that can't be known; the signal's reason when aborted
 */
export async function awaitDelivery(
  requestId: string,
  upload: ResumableUploadState,
  signal: AbortSignal,
): Promise<void> {
  try {
    await outcomeOf(upload.id, { signal });
    noteArrived(requestId, upload.id);
  } catch (error) {
    noteRefused(requestId, { fileName: upload.filename, message: assertRefused(error).message });
  }
  const packed = await reopenDelivery(requestId, upload);
  if (!packed) return;
  await packed.dispose();
  releaseRow(packed.rowId);
}
