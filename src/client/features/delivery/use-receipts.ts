import { useEffect, useState } from "react";
import type { Receipt } from "../../../shared/api/receipts.ts";
import { ApiError, isOutage } from "../../calls/api.ts";
import { wait } from "../upload/follow/wait.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { Delivered } from "./delivery-state.ts";

export interface DeliveredExam {
  receipt: Receipt;
  /** By which it is checked: a `data:` URL of an image. */
  qrCode: string;
}

interface Made {
  receipts?: DeliveredExam[];
  /** Why there are none, or why one is missing. */
  message?: string | undefined;
}

const MAX_TRIES = 30;
/** As many as the paper has. */
const MAX_EXAMS = 50;

/** The receipts of the studies that uploads brought, once they are made: every image is read for them. */
export function useReceipts(delivered: readonly Delivered[]): Made & { retry: () => void } {
  const [made, setMade] = useState<Made>({});
  const [tries, setTries] = useState(0);
  const asked = keysOf(delivered).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try reads again
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    readAll(asked.split(" "), signal).then(
      (read) => {
        if (!signal.aborted) setMade(read);
      },
      (error) => {
        if (!signal.aborted) throw error;
      },
    );
    return () => controller.abort();
  }, [asked, tries]);
  const retry = () => {
    setMade({});
    setTries(tries + 1);
  };
  return { ...made, retry };
}

/** Each study once, with the last upload that brought of it. */
function keysOf(delivered: readonly Delivered[]): string[] {
  const uploads = new Map<string, string>();
  for (const { uploadId, answer } of delivered)
    for (const { id } of answer.studies) uploads.set(id, uploadId);
  return [...uploads].slice(0, MAX_EXAMS).map(([study, upload]) => `${upload}/${study}`);
}

/**
 * A paper without an exam that could not be reached would not say what was delivered: an outage leaves none.
 * @throws the signal's reason when aborted
 */
async function readAll(asked: readonly string[], signal: AbortSignal): Promise<Made> {
  const receipts: DeliveredExam[] = [];
  const failures: ApiError[] = [];
  for (const one of asked) {
    signal.throwIfAborted();
    const [uploadId = "", study = ""] = one.split("/");
    const read = await readOne(uploadId, study, signal);
    if (!(read instanceof ApiError)) receipts.push(read);
    else if (isOutage(read)) return { message: read.message };
    else failures.push(read);
  }
  if (receipts.length === 0) return { message: failures[0]?.message ?? "" };
  // An exam that was there already may lack a receipt, because the uploads brought nothing of it.
  return { receipts, message: failures.find(({ code }) => code !== "receipt.not_found")?.message };
}

/** The failure if there is no receipt. */
async function readOne(
  uploadId: string,
  study: string,
  signal: AbortSignal,
): Promise<DeliveredExam | ApiError> {
  for (let tries = 1; ; tries++) {
    try {
      const { receipt } = await deliveryApi.receipt(uploadId, study, signal);
      return { receipt, qrCode: await deliveryApi.qrCode(uploadId, study, signal) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const mayPass = error.status === 0 || error.status >= 500 || error.status === 429;
      if (!mayPass || tries >= MAX_TRIES) return error;
    }
    await wait(2_000, signal);
  }
}
