import { isDatabaseUnavailable } from "../../db/database.errors.ts";
import { uploadInterrupted } from "../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../http/app-error.ts";
import { databaseUnavailable, storageFull, storeUnavailable } from "../../http/http.errors.ts";
import { tooManyUploads } from "../ingest/ingest.errors.ts";
import { IngestRefused } from "../ingest/worker/worker.errors.ts";

/** What a failed upload means: `refused` for what it brought, `transient` for something else that may pass. */
export type Judgement = { is: "refused" | "transient"; reason: string };

/** Kinds that are not about the files. */
const TRANSIENT = new Set([uploadInterrupted, storageFull, storeUnavailable, tooManyUploads]);

export function judgeFailure(error: unknown): Judgement {
  // A worker that ends on a file ends on it again.
  if (error instanceof IngestRefused) return { is: "refused", reason: error.failure };
  // drizzle wraps it in an error without a name.
  if (isDatabaseUnavailable(error)) return { is: "transient", reason: databaseUnavailable.code };
  if (!(error instanceof AppError)) return { is: "transient", reason: nameOf(error) };
  const { kind, options } = error;
  if (TRANSIENT.has(kind) || kind.status >= 500) return { is: "transient", reason: kind.code };
  const { reason } = options.members ?? {};
  return { is: "refused", reason: typeof reason === "string" ? reason : kind.code };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
