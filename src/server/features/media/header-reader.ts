import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { StoredMetadata } from "../dicomweb/dicomweb.catalogue.ts";
import { MetadataCutter } from "../dicomweb/metadata/metadata-cutter.ts";

/** Larger headers are not read for a directory. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** The headers of a series in the order of its manifest, read in one pass over its metadata. */
export class HeaderReader implements AsyncDisposable {
  readonly #stored: StoredMetadata;
  readonly #texts: MetadataCutter;

  constructor(stored: StoredMetadata) {
    this.#stored = stored;
    this.#texts = new MetadataCutter(stored);
  }

  /** The header of an instance in the DICOM JSON model; undefined if it is too large to be read for a directory. */
  async read({ sopInstanceUID }: Pick<ManifestInstance, "sopInstanceUID">): Promise<DicomJson | undefined> {
    const range = await this.#stored.rangeOf(sopInstanceUID);
    if (!range || range.length > MAX_HEADER_BYTES) return undefined;
    const json = await this.#texts.cut(range);
    return json && (JSON.parse(new TextDecoder().decode(json)) as DicomJson);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#texts[Symbol.asyncDispose]();
  }
}
