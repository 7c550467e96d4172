import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { ApiError } from "../../api.ts";
import { lendToken } from "../../session.ts";
import { wait } from "../upload/follow/wait.ts";
import { readUpload } from "../upload/send/resumable-transport.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { DeliveryState, HalfSent, Receipted } from "./delivery-state.ts";
import { keepDelivery, readDelivery } from "./kept-delivery.ts";
import { reopenDelivery } from "./send-delivery.ts";

const WATCH_MS = 2_000;

/** The openings under way, because React begins a page twice in development. */
const opened = new Map<string, Promise<DeliveryState>>();

export function openOnce(requestId: string): Promise<DeliveryState> {
  const opening = opened.get(requestId) ?? openPage(requestId);
  opened.set(requestId, opening);
  return opening;
}

export async function openPage(requestId: string): Promise<DeliveryState> {
  try {
    return (await goOn(requestId)) ?? (await openRequest(requestId));
  } catch (error) {
    return isOver(error) ? { step: "closed" } : { step: "failed", message: expected(error).message };
  }
}

async function openRequest(requestId: string): Promise<DeliveryState> {
  const request = await deliveryApi.open(requestId, secretOfPage());
  return { step: "who", request, isBusy: false };
}

/** The delivery that this browser began earlier; undefined if there is none, or if it is over. */
async function goOn(requestId: string): Promise<DeliveryState | undefined> {
  const kept = readDelivery(requestId);
  if (!kept) return undefined;
  lendToken(kept.token);
  try {
    return await stateOf(requestId, kept.request, await deliveryApi.uploads());
  } catch (error) {
    if (!isOver(error)) throw error;
    forget(requestId);
    return undefined;
  }
}

/** @param uploads the newest first */
async function stateOf(
  requestId: string,
  request: OpenedRequest,
  uploads: ResumableUploadState[],
): Promise<DeliveryState> {
  const whole = uploads.find(({ state }) => state === "done" || state === "processing");
  if (whole?.result) return doneState(requestId, request, whole.id, whole.result);
  if (whole) return { step: "taking", request, upload: whole };
  const begun = uploads.find(({ state }) => state === "receiving");
  if (!begun) return { step: "pick", request, message: uploads[0]?.problem?.message };
  const { id: uploadId, filename: fileName, offset, sizeBytes } = begun;
  const picked = await reopenDelivery(requestId, begun);
  if (picked) {
    const transfer = { loadedBytes: offset, totalBytes: sizeBytes };
    return { step: "sending", request, picked, transfer };
  }
  return { step: "pick", request, halfSent: { uploadId, fileName, percent: percentAt(begun) } };
}

/**
 * What became of a half-sent upload that another page sends on, or had sent whole. Undefined if it is gone.
 * @throws the signal's reason when aborted
 */
export async function changeOf(
  requestId: string,
  { uploadId, percent }: HalfSent,
  signal: AbortSignal,
): Promise<DeliveryState | undefined> {
  for (;;) {
    await wait(WATCH_MS, signal);
    try {
      const upload = await readUpload(uploadId, signal);
      if (upload.state === "receiving" && percentAt(upload) === percent) continue;
      const kept = readDelivery(requestId);
      return kept && (await stateOf(requestId, kept.request, [upload]));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status > 0 && error.status < 500) return undefined;
    }
  }
}

function percentAt({ offset, sizeBytes }: ResumableUploadState): number {
  return Math.floor((100 * offset) / sizeBytes);
}

export function doneState(
  requestId: string,
  request: OpenedRequest,
  uploadId: string,
  answer: UploadAnswer,
): Receipted {
  return { step: "done", request, from: readDelivery(requestId)?.from ?? "", uploadId, answer };
}

export function forget(requestId: string): void {
  keepDelivery(requestId, undefined);
  lendToken(undefined);
}

export function secretOfPage(): string {
  return window.location.hash.slice(1);
}

/** Whether the request, or the delivery's token, is no good any more. */
export function isOver(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.code === "request.not_found");
}

export function expected(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
