/** This server did not write these bytes as a manifest: they are damaged, or have a newer format. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/** A manifest takes more memory than allowed, or would if it were written. */
export class ManifestTooLarge extends ManifestError {
  override name = "ManifestTooLarge";
}
