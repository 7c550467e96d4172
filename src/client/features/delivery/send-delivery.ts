import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { endOnServer, resumableTransport } from "../upload/send/resumable-transport.ts";
import { findRecord, listRecords } from "../upload/send/resume-records.ts";
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
  { prepared, kind, name }: PickedDelivery,
  { requestId, onProgress, signal }: SendOptions,
): Promise<{ uploadId: string; answer: UploadAnswer }> {
  const { zip, fileName } = prepared;
  const id = (await findHalfSent(requestId, zip, name)) ?? crypto.randomUUID();
  const meter = new TransferMeter();
  const answer = await resumableTransport.send(
    { id, userId: requestId, kind, zip, fileName, metadata: {} },
    {
      signal,
      onProgress: (loadedBytes, totalBytes) =>
        onProgress({ loadedBytes, totalBytes, ...meter.read(performance.now(), loadedBytes, totalBytes) }),
    },
  );
  return { uploadId: serverIdOf(id), answer };
}

/** The upload that an earlier page began with this file. Any other one that it began is dropped: it would only take room. */
async function findHalfSent(requestId: string, zip: Blob, name: string): Promise<string | undefined> {
  const states = new Map((await deliveryApi.uploads()).map(({ id, state }) => [id, state]));
  let found: string | undefined;
  for (const record of listRecords(requestId)) {
    if (states.get(serverIdOf(record.id)) !== "receiving") continue;
    const isSame = zip instanceof File && record.kind === "zip" && (await isSameFile(zip, name, record));
    if (isSame && !found) found = record.id;
    else await endOnServer(record.id);
  }
  return found;
}

function serverIdOf(id: string): string {
  return findRecord(id)?.path.split("/").at(-1) ?? "";
}
