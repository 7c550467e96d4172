import type { SeriesManifest } from "../../../archive/manifest.ts";
import type { Derivative } from "../../../holdings/derivatives/derivative.ts";
import type { StoredObjectRow } from "../../../holdings/objects/stored-objects.table.ts";
import type { InstanceBytes, StoredMetadata } from "../dicomweb.catalogue.ts";

/**
 * Reads manifests and instances from the stores, with a bounded cache. It never holds more than a few megabytes of an object,
 * whatever the object declares.
 */
export interface SeriesReader extends InstanceBytes {
  /** Reads the index of a small manifest and, if they are needed, its metadata into their caches, with one access. */
  warm(object: StoredObjectRow, needsMetadata: boolean): Promise<void>;
  /** @throws {ManifestError} `ManifestTooLarge` if it would take more memory than one request may */
  manifest(object: StoredObjectRow): Promise<SeriesManifest>;
  /** With the copy of the series, which may still be looked for, instances name its transfer syntax too. */
  metadata(
    object: StoredObjectRow,
    derivative?: Derivative | Promise<Derivative | undefined>,
  ): Promise<StoredMetadata>;
  /** The lossless copy of the series, if it has one that may be shown. */
  derivative(object: Pick<StoredObjectRow, "id">): Promise<Derivative | undefined>;
  /** Finds with one look-up which of the series with these manifests have a lossless copy; returns the copies' versions by manifest. */
  copies(manifestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
