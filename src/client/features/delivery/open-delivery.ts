import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import { ApiError } from "../../calls/api.ts";
import { lendToken } from "../../session.ts";
import { wait } from "../upload/follow/wait.ts";
import { readUpload } from "../upload/send/resumable-transport.ts";
import { serverIdOf } from "../upload/send/resume-records.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { BegunUpload, DeliveryState, HalfSent, Receipted } from "./delivery-state.ts";
import {
  batchOf,
  dropOverDeliveries,
  keepDelivery,
  noteArrived,
  noteRefused,
  partsLeft,
  readDelivery,
  unfinishedBatch,
} from "./kept-delivery.ts";
import { reopenDelivery } from "./send-delivery.ts";

const WATCH_MS = 2_000;

/** What a page begins with: a step, or an upload that it sends on. */
export type OpenedDelivery = DeliveryState | { step: "begun"; request: OpenedRequest; begun: BegunUpload };

/** The openings under way, because React begins a page twice in development. */
const opened = new Map<string, Promise<OpenedDelivery>>();

export function openOnce(requestId: string): Promise<OpenedDelivery> {
  const opening = opened.get(requestId) ?? openPage(requestId);
  opened.set(requestId, opening);
  return opening;
}

export async function openPage(requestId: string): Promise<OpenedDelivery> {
  try {
    const opened = (await goOn(requestId)) ?? (await openRequest(requestId));
    dropOverDeliveries(requestId);
    return opened;
  } catch (error) {
    return isOver(error) ? { step: "closed" } : { step: "failed", message: expected(error).message };
  }
}

async function openRequest(requestId: string): Promise<DeliveryState> {
  const secret = secretOfPage();
  try {
    const request = await deliveryApi.open(requestId, secret);
    return { step: "who", request, isBusy: false };
  } catch (error) {
    if (secret === secretOfPage()) throw error;
    // Another address was pasted meanwhile.
    return await openRequest(requestId);
  }
}

/** What became of the delivery once an upload of it has arrived: its receipt, or what is still to be sent. @throws {ApiError} */
export async function afterArrival(requestId: string, request: OpenedRequest): Promise<DeliveryState> {
  return restOf(requestId, request, await deliveryApi.uploads());
}

/** The delivery that this browser began earlier; undefined if there is none, or if it is over. */
async function goOn(requestId: string): Promise<OpenedDelivery | undefined> {
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
): Promise<OpenedDelivery> {
  const { sending } = unfinishedBatch(requestId) ?? {};
  const sent = sending && uploads.find(({ id }) => id === serverIdOf(sending.rowId));
  if (sent?.state === "done") noteArrived(requestId, sent.id);
  if (sent?.state === "failed")
    noteRefused(requestId, { fileName: sent.filename, message: sent.problem?.message ?? "" });
  const whole = uploads.find(({ state }) => state === "processing");
  if (whole) return { step: "taking", request, upload: whole };
  const begun = uploads.find(({ state }) => state === "receiving");
  if (!begun) return restOf(requestId, request, uploads);
  const { id: uploadId, filename: fileName } = begun;
  const reopened = await reopenDelivery(requestId, begun);
  if (reopened) return { step: "begun", request, begun: reopened };
  return { step: "pick", request, halfSent: { uploadId, fileName, percent: percentAt(begun) } };
}

/** The step of a delivery with no upload under way: its receipt, or what is still to be sent. */
function restOf(
  requestId: string,
  request: OpenedRequest,
  uploads: readonly ResumableUploadState[],
): DeliveryState {
  const receipt = receiptOf(requestId, request, uploads);
  const parts = partsLeft(requestId);
  const { arrived, refused = [] } = batchOf(requestId);
  const isRefused = refused.length > 0 && arrived.length === 0;
  if (receipt && !parts && !isRefused) return { ...receipt, refused };
  const message = refused.length > 0 ? undefined : uploads[0]?.problem?.message;
  return { step: "pick", request, parts, receipt, refused, message };
}

/**
 * What became of a half-sent upload that another page sends on, or had sent whole. Undefined if it is gone.
 * @throws the signal's reason when aborted
 */
export async function changeOf(
  requestId: string,
  { uploadId, percent }: HalfSent,
  signal: AbortSignal,
): Promise<OpenedDelivery | undefined> {
  for (;;) {
    await wait(WATCH_MS, signal);
    try {
      const upload = await readUpload(uploadId, signal);
      if (upload.state === "receiving" && percentAt(upload) === percent) continue;
      const kept = readDelivery(requestId);
      return kept && (await stateOf(requestId, kept.request, await deliveryApi.uploads()));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status > 0 && error.status < 500) return undefined;
    }
  }
}

function percentAt({ offset, sizeBytes }: ResumableUploadState): number {
  return Math.floor((100 * offset) / sizeBytes);
}

/** The receipt of what arrived of the last choice, or else of the newest upload. Undefined if nothing arrived. */
export function receiptOf(
  requestId: string,
  request: OpenedRequest,
  uploads: readonly ResumableUploadState[],
): Receipted | undefined {
  const { from = "", batch } = readDelivery(requestId) ?? {};
  const done = uploads.flatMap(({ id: uploadId, result: answer }) => (answer ? [{ uploadId, answer }] : []));
  const delivered = batch?.arrived.length
    ? batch.arrived.flatMap((one) => done.find(({ uploadId }) => uploadId === one.uploadId) ?? [])
    : done.slice(0, 1);
  return delivered.length > 0 ? { step: "done", request, from, delivered } : undefined;
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
