import type { SeriesManifest } from "../../archive/manifest.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { InstanceBytes, StoredMetadata } from "./dicomweb.catalogue.ts";

/**
 * Reads manifests and instances from the stores, with a bounded cache. It never holds more than a few megabytes of an object,
 * whatever the object declares.
 */
export interface SeriesReader extends InstanceBytes {
  /** @throws {ManifestError} `ManifestTooLarge` if it would take more memory than one request may */
  manifest(object: StoredObjectRow): Promise<SeriesManifest>;
  metadata(object: StoredObjectRow): Promise<StoredMetadata>;
}
