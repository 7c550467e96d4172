import type { DeadLetter } from "../../../shared/api/operations.ts";

/** Failed jobs of one kind that ended with one class of error: an outage makes many of them at once. */
export interface LetterGroup {
  key: string;
  kind: string;
  errorClass: string;
  ids: string[];
  /** When the latest of them failed for good. */
  diedAt: string;
}

/** Groups in the order of their latest letter, as the list comes newest first. */
export function groupLetters(letters: readonly DeadLetter[]): LetterGroup[] {
  const groups = new Map<string, LetterGroup>();
  for (const { id, kind, errorClass, diedAt } of letters) {
    const key = `${kind} ${errorClass}`;
    const group = groups.get(key);
    if (group) group.ids.push(id);
    else groups.set(key, { key, kind, errorClass, ids: [id], diedAt });
  }
  return [...groups.values()];
}
