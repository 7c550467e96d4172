/** A manifest's bytes can't be what this server wrote: damage, or a newer format. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/** A manifest that takes more memory than one may, or would where it is written. */
export class ManifestTooLarge extends ManifestError {
  override name = "ManifestTooLarge";
}
