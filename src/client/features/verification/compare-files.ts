import type { Receipt } from "../../../shared/api/receipts.ts";
import { rootOf } from "./receipt-file.ts";

/** A file of the folder or ZIP that is checked. */
export interface HashedFile {
  name: string;
  /** Empty if the bytes can't be read. */
  sha256: string;
  sizeBytes: number;
  /** Undefined for what is no instance, and where nobody needs it. */
  sopInstanceUID?: string;
  /** An instance that is no image, such as the laudo that a medium has among the images. */
  isDocument?: boolean;
}

export interface Comparison {
  /** Instances that are as they were received. */
  matching: number;
  /** Files whose instance is in the receipt, with other bytes. */
  changed: { name: string; sopInstanceUID: string }[];
  /** SOP Instance UIDs of the receipt of which there is no file. */
  missing: string[];
  /** Files with an image that the receipt does not name. */
  unknown: string[];
  /** Files that are no image and not in the receipt, such as a laudo. */
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
  for (const { name, sopInstanceUID, isDocument } of left) {
    const count = sopInstanceUID === undefined ? 0 : (absent.get(sopInstanceUID) ?? 0);
    if (sopInstanceUID === undefined || (isDocument && count === 0)) others++;
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

export interface ComparisonOfExams {
  comparison: Comparison;
  /** So many images are in the receipts that the files were compared with. */
  images: number;
  /** Receipts of which there is no image among the files. */
  absent: number;
}

/** Compares files with those receipts of a paper that are of their exams, or with all if none is. */
export function compareExams(
  receipts: readonly Pick<Receipt, "instances">[],
  files: readonly HashedFile[],
): ComparisonOfExams {
  const isThere = (receipt: Pick<Receipt, "instances">) => {
    const { matching, changed } = compareFiles(receipt, files);
    return matching + changed.length > 0;
  };
  const there = receipts.length > 1 ? receipts.filter(isThere) : receipts;
  const compared = there.length > 0 ? there : receipts;
  const instances = compared.flatMap((receipt) => receipt.instances);
  return {
    comparison: compareFiles({ instances }, files),
    images: instances.length,
    absent: receipts.length - compared.length,
  };
}

/**
 * Whether files are exactly what a root stands for. Documents need not be part of it, since a medium adds the laudo. A file that is there
 * several times, such as in two ZIPs, counts once: an archive keeps it once.
 */
export function compareRoot(root: string, files: readonly HashedFile[]): { isSame: boolean; images: number } {
  const once = new Map(files.map((file) => [`${file.sopInstanceUID} ${file.sha256}`, file]));
  const instances = [...once.values()].flatMap(({ sopInstanceUID, ...file }) =>
    sopInstanceUID === undefined ? [] : [{ ...file, sopInstanceUID }],
  );
  const images = instances.filter(({ isDocument }) => !isDocument);
  const same = [instances, images].find((some) => rootOf(some) === root);
  return { isSame: same !== undefined, images: (same ?? instances).length };
}

/** Whether none of the files has anything to do with an exam. */
export function hasNoImages({ matching, changed, unknown }: Comparison): boolean {
  return matching + changed.length + unknown.length === 0;
}

export function isUnchanged({ changed, missing, unknown }: Comparison): boolean {
  return changed.length + missing.length + unknown.length === 0;
}

/** Whether there are images, and none of them is in the receipt, changed or not. */
export function isOtherExam({ matching, changed, unknown }: Comparison): boolean {
  return matching + changed.length === 0 && unknown.length > 0;
}

/** Whether all that was received is there, and other images besides. */
export function hasMore({ changed, missing, unknown }: Comparison): boolean {
  return changed.length + missing.length === 0 && unknown.length > 0;
}
