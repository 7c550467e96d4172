import { uploadInterrupted } from "../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../http/app-error.ts";
import type { UploadMeter, UploadOutcome } from "../../metrics/upload-meter.ts";
import type { UploadSlot } from "./upload-slots.ts";

/** Runs `upload` and counts how it ended. */
export async function measureUpload<Answer>(
  meter: UploadMeter,
  slot: Pick<UploadSlot, "receivedBytes">,
  upload: () => Promise<Answer>,
): Promise<Answer> {
  const startedAt = performance.now();
  let outcome: UploadOutcome = "stored";
  meter.began();
  try {
    return await upload();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    meter.ended(outcome, slot.receivedBytes, (performance.now() - startedAt) / 1000);
  }
}

function outcomeOf(error: unknown): UploadOutcome {
  if (!(error instanceof AppError) || error.kind.status >= 500) return "failed";
  return error.kind === uploadInterrupted ? "interrupted" : "refused";
}
