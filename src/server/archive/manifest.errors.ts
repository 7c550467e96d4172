/** A manifest's bytes can't be what this server wrote: damage, or a newer format. */
export class ManifestError extends Error {
  override name = "ManifestError";
}
