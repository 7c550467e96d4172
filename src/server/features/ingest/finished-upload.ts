import type { UploadAnswer, UploadMetadata } from "../../../shared/api/upload.ts";
import type { Tx } from "../../db/client.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { AuditEvent } from "../audit/audit.repo.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { PlannedUpload, StoredVolume, UploadPlace } from "./plan-build.ts";
import type { BuiltUpload, ScanResult } from "./worker/worker-messages.ts";

/** Where an upload came from, for the audit; a command on the machine has no address, and a deliverer no account. */
export type UploadOrigin = Partial<RequestOrigin> & Pick<AuditEvent, "details"> & { actorId?: null };

/** What an upload brought, and what it did not. */
export interface TakenUpload {
  studies: UploadAnswer["studies"];
  scan: ScanResult;
  built: BuiltUpload;
}

/** An upload as it becomes visible. */
export interface SettledUpload extends TakenUpload {
  /** The studies that it made. */
  newStudyIds: string[];
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
  /** Who delivered it, if they have no account. */
  receivedFrom?: string | undefined;
  settle?: ((tx: Tx, taken: SettledUpload) => Promise<void>) | undefined;
}
