import type { SeriesManifest } from "../../archive/manifest.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { InstanceBytes, StoredMetadata } from "./dicomweb.catalogue.ts";

/**
 * Manifests and instances out of the stores, with what is read again and again kept in memory, bounded. Whatever the
 * bytes at rest say, nothing here holds more than some megabytes of them.
 */
export interface SeriesReader extends InstanceBytes {
  /** @throws {ManifestError} `ManifestTooLarge` where it would take more memory than one request may */
  manifest(object: StoredObjectRow): Promise<SeriesManifest>;
  metadata(object: StoredObjectRow): Promise<StoredMetadata>;
}
