import type { UploadAnswer, UploadMetadata } from "../../../shared/api/upload.ts";
import type { Tx } from "../../db/client.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { AuditEvent } from "../audit/audit.repo.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { PlannedUpload, StoredVolume, UploadPlace } from "./plan-build.ts";
import type { BuiltUpload, ScanResult } from "./worker/worker-messages.ts";

/** Where an upload came from, for the audit; a command on the machine has no address. */
export type UploadOrigin = Partial<RequestOrigin> & Pick<AuditEvent, "details">;

/** What an upload brought, and what it did not. */
export interface TakenUpload {
  studies: UploadAnswer["studies"];
  scan: ScanResult;
  built: BuiltUpload;
}

/** An upload that was received, read and written, and waits for its commit. */
export interface FinishedUpload {
  upload: UploadPlace;
  caller: Caller;
  origin: UploadOrigin;
  metadata: UploadMetadata;
  scan: ScanResult;
  plan: PlannedUpload;
  built: BuiltUpload;
  /** For a volume of a lost database. */
  stored?: StoredVolume | undefined;
  /** Whether the objects were put into the archive store and verified there before this commit. */
  isArchived: boolean;
  settle?: ((tx: Tx, taken: TakenUpload) => Promise<void>) | undefined;
}
