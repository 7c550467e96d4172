import type { BuildPlan, BuiltUpload, GuessedVolume, ScanResult } from "./worker-messages.ts";

/** One upload in a worker, from `IngestWorkers.open` to `dispose`. */
export interface IngestSession {
  /** The most bytes that a scan writes to the disk. */
  readonly inflatedBytes: number;
  /** Reads the whole ZIP. `guessed` is the volume that it may become, if that is known. @throws {IngestRefused} */
  scan(guessed?: GuessedVolume): Promise<ScanResult & Guess>;
  /**
   * Writes volumes and manifests into the upload's folder. It may be called again with a newer plan, after another upload was
   * committed; it first removes what the last build wrote. @throws {IngestRefused}
   */
  build(plan: BuildPlan): Promise<BuiltUpload>;
  /** Frees the worker; idempotent. The files stay, since the folder belongs to the caller. */
  dispose(): Promise<void>;
}

/** The volume that a large upload may become, hashed while it is scanned. */
export interface Guess {
  guessed?: GuessedVolume;
}
