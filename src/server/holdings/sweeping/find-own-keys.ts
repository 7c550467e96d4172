import { isUuid } from "../../../shared/uuid.ts";
import type { DbOrTx } from "../../db/client.ts";
import { uploadOfKey } from "../objects/upload-of-key.ts";
import { findKnownUploads } from "../uploads/uploads.repo.ts";

/** Keys under an upload that this database records. In a bucket that others use too, nothing else is ours. */
export async function findOwnKeys(db: DbOrTx, keys: readonly string[]): Promise<Set<string>> {
  const ids = [...new Set(keys.map(uploadOfKey))].filter(isUuid);
  const known = await findKnownUploads(db, ids);
  return new Set(keys.filter((key) => known.has(uploadOfKey(key))));
}
