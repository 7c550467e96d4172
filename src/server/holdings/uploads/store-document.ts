import { mkdir, rm } from "node:fs/promises";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { storeUnavailable } from "../../http/http.errors.ts";
import { abandonUpload } from "./abandon-upload.ts";
import { uploadInterrupted } from "./uploads.errors.ts";
import { endUpload, insertUpload } from "./uploads.repo.ts";

export type DocumentDeps = Pick<Deps, "db" | "disk" | "node" | "store" | "clock" | "log">;

/** A PDF in the archive store. */
export interface StoredDocument {
  id: string;
  uploadId: string;
  key: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Puts a PDF into the archive store, reads it back, and commits it with `commit` in one transaction. It is recorded as an upload
 * before its first byte, so that the sweeper removes what a crash leaves.
 * @throws {DiskFull}
 */
export async function storeDocument<Result>(
  deps: DocumentDeps,
  accountId: string,
  pdf: Uint8Array,
  commit: (tx: Tx, document: StoredDocument) => Promise<Result>,
): Promise<Result> {
  const { db, node, store, clock } = deps;
  using _room = store.kind === "disk" ? await deps.disk.reserveSmall(pdf.length) : undefined;
  const uploadId = Bun.randomUUIDv7();
  const folder = node.stagedPath(uploadId);
  await insertUpload(db, {
    id: uploadId,
    accountId,
    nodeId: node.id,
    bootId: node.bootId,
    state: "receiving",
    startedAt: clock.now(),
  });
  try {
    await mkdir(folder); // by which the sweeper finds the upload
    const id = Bun.randomUUIDv7();
    const key = `${uploadId}/${id}.pdf`;
    await store.putBytes(key, pdf);
    const sha256 = digest(pdf);
    const copy = await store.read(key, { offset: 0, length: pdf.length });
    if (digest(copy) !== sha256) throw new AppError(storeUnavailable, { detail: "the copy differs" });
    const result = await db.transaction(async (tx) => {
      const done = await commit(tx, { id, uploadId, key, sizeBytes: pdf.length, sha256 });
      if (!(await endUpload(tx, uploadId, "committed", clock.now()))) throw new AppError(uploadInterrupted);
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
