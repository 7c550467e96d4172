import { LRUCache } from "lru-cache";
import { PIECE_BYTES, PieceSums } from "../../archive/piece-sums.ts";
import { inBuffers } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import { isUnreadable } from "../../storage/disk/fs-failure.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { findBytes } from "../object-sources.ts";
import type { StoredObjectRow } from "../objects/stored-objects.table.ts";
import type { StoreDeps } from "../reading/stored-bytes.ts";
import { soughtOf, sourcesOf } from "./check-object.ts";
import { findOpenFinding } from "./findings.repo.ts";
import { findObjectSums } from "./object-sums.repo.ts";

const BUFFER_BYTES = 8 * PIECE_BYTES;

/** By finding and the time of its last check: the same is asked for again and again until an upload heals it. */
const known = new LRUCache<string, Promise<ByteRange[]>>({ max: 32 });

/**
 * The parts of a volume whose bytes are not those that were stored, as reads find them. None if nothing was found about it; all of
 * it if it is gone, or if an older release stored it without sums.
 */
export async function wrongRangesOf(
  deps: StoreDeps & Pick<Deps, "db">,
  volume: StoredObjectRow,
): Promise<ByteRange[]> {
  const finding = await findOpenFinding(deps.db, volume.id);
  if (!finding) return [];
  const key = `${finding.id} ${finding.checkedAt.getTime()}`;
  const finds = known.get(key) ?? readWrongRanges(deps, volume);
  known.set(key, finds);
  finds.catch(() => known.delete(key));
  return await finds;
}

async function readWrongRanges(
  deps: StoreDeps & Pick<Deps, "db">,
  volume: StoredObjectRow,
): Promise<ByteRange[]> {
  const all = { offset: 0, length: volume.sizeBytes };
  const [stored, found] = [
    await findObjectSums(deps.db, volume.id),
    await findBytes(sourcesOf(deps), soughtOf(volume)),
  ];
  if (!stored || !found) return [all];
  const sums = new PieceSums(all, stored);
  const wrong: ByteRange[] = [];
  let at = 0;
  try {
    for await (const bytes of inBuffers(found.read(), BUFFER_BYTES)) {
      const left = volume.sizeBytes - at;
      if (left <= 0) break;
      wrong.push(...sums.wrongPieces(at, bytes.subarray(0, left)));
      at += bytes.length;
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  if (at < volume.sizeBytes) wrong.push({ offset: at, length: volume.sizeBytes - at });
  return wrong;
}
