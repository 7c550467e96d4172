import type { ManifestInstance, SeriesManifest } from "../../../archive/manifest.ts";

const indexes = new WeakMap<SeriesManifest, Map<string, ManifestInstance>>();

/** Finds an instance by its UID; the index is made once for each manifest and freed with it. */
export function findInstance(manifest: SeriesManifest, sopInstanceUID: string): ManifestInstance | undefined {
  let index = indexes.get(manifest);
  if (!index) {
    index = new Map(manifest.instances.map((instance) => [instance.sopInstanceUID, instance]));
    indexes.set(manifest, index);
  }
  return index.get(sopInstanceUID);
}
