import { mkdir, rm } from "node:fs/promises";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { storeUnavailable } from "../../http/http.errors.ts";
import { abandonUpload } from "./abandon-upload.ts";
import { recordUpload } from "./record-upload.ts";
import { uploadProcessLost } from "./uploads.errors.ts";
import { endUpload } from "./uploads.repo.ts";

export type DocumentDeps = Pick<Deps, "db" | "disk" | "node" | "store" | "clock" | "log">;

/** Small bytes in the archive store: a PDF, or a manifest that was written anew. */
export interface StoredDocument {
  id: string;
  uploadId: string;
  key: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Puts small bytes into the archive store, reads them back, and commits them with `commit` in one transaction. They are recorded as
 * an upload before the first byte, so that the sweeper removes what a crash leaves.
 * @throws {DiskFull}
 * @throws {AppError} `upload.process_lost` when another node took this one for dead and swept the upload
 */
export async function storeDocument<Result>(
  deps: DocumentDeps,
  accountId: string,
  bytes: Uint8Array,
  commit: (tx: Tx, document: StoredDocument) => Promise<Result>,
  extension: "pdf" | "manifest" = "pdf",
): Promise<Result> {
  const { db, node, store, clock } = deps;
  using _room = store.kind === "disk" ? await deps.disk.reserveSmall(bytes.length) : undefined;
  const uploadId = Bun.randomUUIDv7();
  const folder = node.stagedPath(uploadId);
  await recordUpload(deps, { id: uploadId, accountId });
  try {
    await mkdir(folder); // by which the sweeper finds the upload
    const id = Bun.randomUUIDv7();
    const key = `${uploadId}/${id}.${extension}`;
    await store.putBytes(key, bytes);
    const sha256 = digest(bytes);
    const copy = await store.read(key, { offset: 0, length: bytes.length });
    if (digest(copy) !== sha256) throw new AppError(storeUnavailable, { detail: "the copy differs" });
    const result = await db.transaction(async (tx) => {
      const done = await commit(tx, { id, uploadId, key, sizeBytes: bytes.length, sha256 });
      if (!(await endUpload(tx, uploadId, "committed", clock.now())))
        throw new AppError(uploadProcessLost, { retryAfterSeconds: 10, detail: "it was swept meanwhile" });
      return done;
    });
    await rm(folder, { recursive: true, force: true });
    return result;
  } catch (error) {
    await abandonUpload(deps, uploadId);
    throw error;
  }
}

function digest(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
