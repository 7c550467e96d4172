import type { Receipt } from "../../../shared/api/receipts.ts";

/** A file of the folder or ZIP that is checked. */
export interface HashedFile {
  name: string;
  sha256: string;
  sizeBytes: number;
  /** Undefined for what is no instance, and where nobody needs it. */
  sopInstanceUID?: string;
}

export interface Comparison {
  /** Instances that are as they were received. */
  matching: number;
  /** Files whose instance is in the receipt, with other bytes. */
  changed: { name: string; sopInstanceUID: string }[];
  /** SOP Instance UIDs of the receipt of which there is no file. */
  missing: string[];
  /** Files with an instance that the receipt does not name. */
  unknown: string[];
  /** Files without an instance, such as a laudo. */
  others: number;
}

/** Compares files with a receipt: first by their bytes, whatever they are called, then by the UID of what is left. */
export function compareFiles(
  { instances }: Pick<Receipt, "instances">,
  files: readonly HashedFile[],
): Comparison {
  const wanted = new Map<string, string[]>();
  for (const { sha256, sopInstanceUID } of instances)
    wanted.set(sha256, [...(wanted.get(sha256) ?? []), sopInstanceUID]);
  const left = files.filter(({ sha256 }) => !wanted.has(sha256));
  const found = new Set(files.map(({ sha256 }) => sha256));
  const absent = new Map<string, number>();
  let matching = 0;
  for (const [sha256, uids] of wanted) {
    if (found.has(sha256)) matching += uids.length;
    else for (const uid of uids) absent.set(uid, (absent.get(uid) ?? 0) + 1);
  }
  const changed: Comparison["changed"] = [];
  const unknown: string[] = [];
  let others = 0;
  for (const { name, sopInstanceUID } of left) {
    const count = sopInstanceUID === undefined ? 0 : (absent.get(sopInstanceUID) ?? 0);
    if (sopInstanceUID === undefined) others++;
    else if (count === 0) unknown.push(name);
    else {
      changed.push({ name, sopInstanceUID });
      absent.set(sopInstanceUID, count - 1);
    }
  }
  return {
    matching,
    changed,
    missing: [...absent].flatMap(([uid, n]) => Array(n).fill(uid)),
    unknown,
    others,
  };
}

export function isUnchanged({ changed, missing, unknown }: Comparison): boolean {
  return changed.length + missing.length + unknown.length === 0;
}

/** Whether there are images, and none of them is in the receipt, changed or not. */
export function isOtherExam({ matching, changed, unknown }: Comparison): boolean {
  return matching + changed.length === 0 && unknown.length > 0;
}
