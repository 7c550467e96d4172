import { ManifestTooLarge } from "../../../archive/manifest.errors.ts";
import { MAX_FORMER_VOLUMES, type ManifestInstance } from "../../../archive/manifest.ts";
import { encodeManifest, type SeriesContent } from "../../../archive/manifest-codec.ts";
import type { Place } from "./open-volume.ts";
import { bytesAtRest } from "./scanned-upload.ts";
import type { KeptEntry, TouchedSeries } from "./sort-instances.ts";

/** What of the new volume takes the place of damaged bytes in volumes that are not freed: all of it, if it holds nothing else. */
export function healedBeside(
  freed: readonly string[],
  touched: readonly TouchedSeries[],
  volumeBytes: number,
) {
  const isFreed = new Set(freed);
  let healedBytes = 0;
  let isAll = true;
  for (const { fresh, variants, healed } of touched) {
    isAll &&= fresh.length === 0 && variants.length === 0;
    for (const [kept, { bytes }] of healed) {
      if (isFreed.has(kept.volumeId)) isAll = false;
      else healedBytes += bytesAtRest(bytes);
    }
  }
  return isAll ? volumeBytes : healedBytes;
}

/** Whoever delivered an instance without an account is known by the volume that held it first. */
export function movedTo<Kept extends KeptEntry>(kept: Kept, place: Place | undefined): Kept {
  if (!place) return { ...kept };
  const former = [...(kept.formerVolumeIds ?? []), kept.volumeId];
  return { ...kept, ...place, formerVolumeIds: former.slice(0, MAX_FORMER_VOLUMES) };
}

/**
 * Encodes a series. One that is too large with the former volumes of what was healed forgets them, so that it can be healed.
 * @throws {ManifestTooLarge} as {@link encodeManifest}, if it is too large without them
 */
export async function encodeHealed(content: SeriesContent): Promise<Uint8Array> {
  try {
    return await encodeManifest(content);
  } catch (error) {
    const { instances, variants = [] } = content.manifest;
    const healed = [...instances, ...variants].filter(({ formerVolumeIds }) => formerVolumeIds);
    if (!(error instanceof ManifestTooLarge) || healed.length === 0) throw error;
    for (const kept of healed) delete kept.formerVolumeIds;
    return await encodeManifest(content);
  }
}

/** Identifies an entry by its place, which no other entry shares. */
export function placeKey({
  volumeId,
  dataOffset,
}: Pick<ManifestInstance, "volumeId" | "dataOffset">): string {
  return `${volumeId} ${dataOffset}`;
}
