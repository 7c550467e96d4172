import { t } from "@lingui/core/macro";
import { ApiError } from "./api.ts";

/** What a person is told of something that failed: the server's words, if it had any. */
export function failureText(error: unknown): string {
  return error instanceof ApiError ? error.message : t({ id: "error.unknown", message: "Unknown error" });
}
