import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { ApiError } from "../../../calls/api.ts";
import { limitText } from "../../../ui/text/limit-text.ts";
import { subscriptionsApi } from "../../plan/subscriptions-api.ts";

/** Size of the form around the file; the server allows the same. */
const FORM_BYTES = 1024 ** 2;
/** A smaller file is sent completely before the server refuses it, so the answer arrives. */
const CHECKED_FROM_BYTES = 32 * 1024 ** 2;

const noStorage = msg({
  id: "upload.noStorage",
  message:
    "There is not enough storage left in your plan: this upload has {size}, {left} are left. Nothing was sent.",
});

/**
 * Checks the plan's storage before a large file is sent. A refusal in mid-transfer would look like a lost connection.
 * @throws {ApiError} `quota.bytes`, the server's own error
 */
export async function ensureStorage(i18n: I18n, sizeBytes: number, signal: AbortSignal): Promise<void> {
  if (sizeBytes < CHECKED_FROM_BYTES) return;
  const usage = await subscriptionsApi.usageStats(signal).catch((error: unknown) => {
    // The usage is unknown, so the server decides.
    if (error instanceof ApiError) return null;
    throw error;
  });
  if (!usage || sizeBytes - FORM_BYTES <= usage.storageRemainingBytes) return;
  const values = { size: limitText(i18n, sizeBytes), left: limitText(i18n, usage.storageRemainingBytes) };
  throw new ApiError(403, "quota.bytes", i18n._({ ...noStorage, values }));
}
