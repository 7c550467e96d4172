import { mayBeInstance } from "../../../../shared/dicom/instance-start.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { readInstanceMetadata } from "./instance-metadata.ts";

/** A file that may be an instance: a file of a folder, or an entry of a ZIP. */
export interface Candidate {
  /** Its first bytes, at most `maxBytes`; undefined if the browser can't read them. */
  readHead(maxBytes: number): Promise<Uint8Array | undefined>;
}

/** `unsure`: the browser found no instance, and only the server can confirm that there is none. */
export type FoundMetadata = { kind: "found"; metadata: ExamForm } | { kind: "none" | "unsure" };

export interface SearchLimits {
  /** Maximum number of files whose first bytes are read. */
  maxProbes: number;
  /** Maximum number of possible instances that are read further. */
  maxHeads: number;
}

const PROBE_BYTES = 1024;
const HEAD_BYTES = 1024 * 1024;
const DEFAULT_LIMITS: SearchLimits = { maxProbes: 10_000, maxHeads: 100 };

/** The metadata of the first readable instance among the candidates. */
export async function findMetadata(
  candidates: Iterable<Candidate>,
  signal: AbortSignal,
  limits: SearchLimits = DEFAULT_LIMITS,
): Promise<FoundMetadata> {
  let probes = 0;
  let heads = 0;
  let isSure = true;
  for (const candidate of candidates) {
    signal.throwIfAborted();
    if (++probes > limits.maxProbes) return { kind: "unsure" };
    const probe = await candidate.readHead(PROBE_BYTES);
    if (probe && !mayBeInstance(probe)) continue;
    isSure = false;
    if (!probe) continue;
    if (++heads > limits.maxHeads) return { kind: "unsure" };
    const head = await candidate.readHead(HEAD_BYTES);
    const metadata = head && readInstanceMetadata(head);
    if (metadata) return { kind: "found", metadata };
  }
  return { kind: isSure ? "none" : "unsure" };
}
