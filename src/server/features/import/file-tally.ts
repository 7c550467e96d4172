import type { FileOutcome, FileReport } from "./found-file.ts";

/** How many files ended how. */
export class FileTally {
  readonly counts: Record<FileOutcome, number> = {
    taken: 0,
    "already there": 0,
    conflict: 0,
    skipped: 0,
    refused: 0,
  };
  /** Instances that were taken: one of each file, or those of a ZIP. */
  instances = 0;

  add({ outcome, instances }: FileReport): void {
    this.counts[outcome]++;
    if (outcome === "taken" || outcome === "conflict") this.instances += instances ?? 1;
  }

  get files(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}
