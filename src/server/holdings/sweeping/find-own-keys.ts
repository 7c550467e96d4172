import { isUuid } from "../../../shared/uuid.ts";
import { uploadOfKey } from "../objects/upload-of-key.ts";

/**
 * The keys that belong to an upload recorded in this database. In a shared bucket, all other keys belong to others.
 * @param findKnown which of the uploads with these ids the database knows
 */
export async function findOwnKeys(
  keys: readonly string[],
  findKnown: (ids: string[]) => Promise<ReadonlySet<string>>,
): Promise<Set<string>> {
  const known = await findKnown([...new Set(keys.map(uploadOfKey))].filter(isUuid));
  return new Set(keys.filter((key) => known.has(uploadOfKey(key))));
}
