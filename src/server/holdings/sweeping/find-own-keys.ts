import { isUuid } from "../../../shared/uuid.ts";
import type { DbOrTx } from "../../db/client.ts";
import { uploadOfKey } from "../objects/upload-of-key.ts";
import { findKnownUploads } from "../uploads/uploads.repo.ts";

/** The keys that belong to an upload recorded in this database. In a shared bucket, all other keys belong to others. */
export async function findOwnKeys(db: DbOrTx, keys: readonly string[]): Promise<Set<string>> {
  const ids = [...new Set(keys.map(uploadOfKey))].filter(isUuid);
  const known = await findKnownUploads(db, ids);
  return new Set(keys.filter((key) => known.has(uploadOfKey(key))));
}
