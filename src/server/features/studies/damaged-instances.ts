import type { KeptVariant, ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { undefinedIfLost } from "../../holdings/checking/find-lost.ts";
import { wrongRangesOf } from "../../holdings/checking/wrong-ranges.ts";
import { listVolumes } from "../../holdings/objects/stored-objects.repo.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { listStoredSeries } from "./study-contents.repo.ts";

export type DamageDeps = ObjectDeps & Pick<Deps, "series">;

type Kept = ManifestInstance | KeptVariant;

/** The files of one series, other bytes under the same SOP Instance UID included. */
export interface SeriesSoundness {
  seriesInstanceUID: string;
  /** Undefined if its manifest is lost, so that nobody knows which files it has. */
  files: { sound: Kept[]; damaged: Kept[] } | undefined;
}

/**
 * Tells of each file of a study whether its bytes can be read as they were stored, as far as damage was found. Nothing was found of a
 * study that is not marked.
 */
export async function* soundnessOf(
  deps: DamageDeps,
  studyId: string,
  { isMarked }: { isMarked: boolean },
): AsyncGenerator<SeriesSoundness> {
  const wrong = new Map<string, ByteRange[]>();
  for (const volume of await listVolumes(deps.db, studyId))
    wrong.set(volume.id, isMarked ? await wrongRangesOf(deps, volume) : []);
  const isDamaged = ({ volumeId, dataOffset, storedBytes }: Kept) =>
    wrong
      .get(volumeId)
      ?.some(({ offset, length }) => offset < dataOffset + storedBytes && dataOffset < offset + length) ??
    true;
  for (const { row, manifest } of await listStoredSeries(deps.db, studyId)) {
    const { seriesInstanceUID } = row;
    const read = await undefinedIfLost(deps.series.manifest(manifest));
    const files =
      read &&
      Object.groupBy([...read.instances, ...(read.variants ?? [])], (kept) =>
        isDamaged(kept) ? "damaged" : "sound",
      );
    yield { seriesInstanceUID, files: files && { sound: files.sound ?? [], damaged: files.damaged ?? [] } };
  }
}

/** The most files that an answer names. */
const MAX_NAMED = 1_000;

/** What an answer says of the damage of studies: the files, and the series of which nobody knows the files. */
export interface NamedDamage {
  damaged: { studyInstanceUID: string; seriesInstanceUID: string; sopInstanceUID?: string }[];
  /** Also counts those that are not named. */
  damagedCount: number;
}

/** Names the damaged files of studies. */
export async function nameDamage(
  deps: DamageDeps,
  studies: readonly { id: string; studyInstanceUID: string }[],
): Promise<NamedDamage> {
  const damaged: NamedDamage["damaged"] = [];
  let damagedCount = 0;
  for (const { id, studyInstanceUID } of studies) {
    for await (const { seriesInstanceUID, files } of soundnessOf(deps, id, { isMarked: true })) {
      const of = { studyInstanceUID, seriesInstanceUID };
      const lost = files?.damaged.map(({ sopInstanceUID }) => ({ ...of, sopInstanceUID })) ?? [of];
      damagedCount += lost.length;
      damaged.push(...lost.slice(0, MAX_NAMED - damaged.length));
    }
  }
  return { damaged, damagedCount };
}
