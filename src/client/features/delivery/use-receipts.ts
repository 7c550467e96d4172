import { useEffect, useState } from "react";
import type { Receipt } from "../../../shared/api/receipts.ts";
import { ApiError } from "../../api.ts";
import { wait } from "../upload/follow/wait.ts";
import { deliveryApi } from "./delivery-api.ts";

export interface DeliveredExam {
  receipt: Receipt;
  /** By which it is checked: a `data:` URL of an image. */
  qrCode: string;
}

interface Made {
  receipts?: DeliveredExam[];
  message?: string;
}

const MAX_TRIES = 30;
/** As many as the paper has. */
const MAX_EXAMS = 50;

/** The receipts of the studies that an upload brought, once they are made: every image is read for them. */
export function useReceipts(uploadId: string, studyIds: readonly string[]): Made {
  const [made, setMade] = useState<Made>({});
  const ids = studyIds.slice(0, MAX_EXAMS).join(" ");
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    void readAll(uploadId, ids.split(" "), signal).then((read) => {
      if (!signal.aborted) setMade(read);
    });
    return () => controller.abort();
  }, [uploadId, ids]);
  return made;
}

async function readAll(uploadId: string, studyIds: readonly string[], signal: AbortSignal): Promise<Made> {
  const receipts: DeliveredExam[] = [];
  let missing: string | undefined;
  for (const study of studyIds) {
    const read = await readOne(uploadId, study, signal);
    if (typeof read !== "string") receipts.push(read);
    else missing = read;
  }
  // Of an exam that was there already, they may have brought nothing.
  return receipts.length > 0 ? { receipts } : { message: missing ?? "" };
}

/** The message of the failure if there is no receipt. */
async function readOne(
  uploadId: string,
  study: string,
  signal: AbortSignal,
): Promise<DeliveredExam | string> {
  for (let tries = 1; ; tries++) {
    try {
      const { receipt } = await deliveryApi.receipt(uploadId, study);
      return { receipt, qrCode: await deliveryApi.qrCode(uploadId, study) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const mayPass = error.status === 0 || error.status >= 500 || error.status === 429;
      if (!mayPass || tries >= MAX_TRIES || signal.aborted) return error.message;
    }
    await wait(2_000, signal).catch(() => undefined);
  }
}
