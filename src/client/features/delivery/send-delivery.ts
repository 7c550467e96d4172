import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { reopenPacked } from "../upload/pack-folder/reopen-packed.ts";
import { endOnServer, outcomeOf, resumableTransport } from "../upload/send/resumable-transport.ts";
import { listRecords, serverIdOf } from "../upload/send/resume-records.ts";
import { holdRow, releaseRow } from "../upload/send/row-locks.ts";
import { isSameFile } from "../upload/send/same-file.ts";
import { TransferMeter } from "../upload/send/transfer-meter.ts";
import type { Transfer } from "../upload/upload-state.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { PickedDelivery } from "./delivery-state.ts";

interface SendOptions {
  requestId: string;
  onProgress: (transfer: Transfer) => void;
  signal: AbortSignal;
}

/**
 * Sends what was picked, from where an earlier page stopped if it is the same file.
 * @throws {ApiError} why nothing was stored; the signal's reason when aborted
 */
export async function sendDelivery(
  picked: PickedDelivery,
  { requestId, onProgress, signal }: SendOptions,
): Promise<{ uploadId: string; answer: UploadAnswer }> {
  const { prepared, kind, begunId } = picked;
  const { zip, fileName } = prepared;
  const id = begunId ?? (await findHalfSent(requestId, picked)) ?? crypto.randomUUID();
  const packedName = kind === "folder" && zip instanceof File ? zip.name : undefined;
  const meter = new TransferMeter();
  // A page that is opened meanwhile does not send it, too.
  await holdRow(id);
  try {
    const answer = await resumableTransport.send(
      { id, userId: requestId, kind, packedName, zip, fileName, metadata: {} },
      {
        signal,
        onProgress(loadedBytes, totalBytes) {
          onProgress({ loadedBytes, totalBytes, ...meter.read(performance.now(), loadedBytes, totalBytes) });
        },
      },
    );
    return { uploadId: serverIdOf(id), answer };
  } finally {
    releaseRow(id);
  }
}

/** The upload that an earlier page began with this file. Any other one that it began is dropped: it would only take room. */
async function findHalfSent(
  requestId: string,
  { prepared: { zip }, kind, name }: PickedDelivery,
): Promise<string | undefined> {
  const states = new Map((await deliveryApi.uploads()).map(({ id, state }) => [id, state]));
  let found: string | undefined;
  for (const record of listRecords(requestId)) {
    if (states.get(serverIdOf(record.id)) !== "receiving") continue;
    const isZip = kind === "zip" && record.kind === "zip" && zip instanceof File;
    if (!found && isZip && (await isSameFile(zip, name, record))) found = record.id;
    else await endOnServer(record.id);
  }
  return found;
}

/** The folder that an earlier page packed and did not send whole. Undefined if it is gone, or if another page is at it. */
export async function reopenDelivery(
  requestId: string,
  { id, filename }: ResumableUploadState,
): Promise<PickedDelivery | undefined> {
  const record = listRecords(requestId).find((one) => serverIdOf(one.id) === id);
  if (record?.packedName === undefined || !(await holdRow(record.id))) return undefined;
  const packed = await reopenPacked(record.packedName, record.sizeBytes);
  if (!packed) {
    releaseRow(record.id);
    return undefined;
  }
  const prepared = { ...packed, fileName: filename, contents: undefined };
  return { prepared, kind: record.kind, name: filename, begunId: record.id };
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
  const packed = await reopenDelivery(requestId, upload);
  if (packed?.begunId === undefined) return answer;
  await packed.prepared.dispose();
  releaseRow(packed.begunId);
  return answer;
}
