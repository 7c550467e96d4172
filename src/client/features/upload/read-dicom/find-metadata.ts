import type { ExamForm } from "../exam-form/exam-form.ts";
import { readInstanceMetadata } from "./instance-metadata.ts";
import { looksLikeInstance } from "./parse-head.ts";

/** A file that may be an instance: of a folder, or an entry of a ZIP. */
export interface Candidate {
  path: string;
  /** Its first bytes, at most `maxBytes`; undefined where it cannot be read. */
  readHead(maxBytes: number): Promise<Uint8Array | undefined>;
}

const PROBE_BYTES = 1024;
const HEAD_BYTES = 1024 * 1024;

/** The metadata of the first readable instance among the candidates, or undefined where there is none. */
export async function findMetadata(
  candidates: Iterable<Candidate>,
  signal: AbortSignal,
): Promise<ExamForm | undefined> {
  for (const candidate of candidates) {
    signal.throwIfAborted();
    const probe = await candidate.readHead(PROBE_BYTES);
    if (!probe || !looksLikeInstance(probe)) continue;
    const head = await candidate.readHead(HEAD_BYTES);
    const metadata = head && readInstanceMetadata(head);
    if (metadata) return metadata;
  }
  return undefined;
}
