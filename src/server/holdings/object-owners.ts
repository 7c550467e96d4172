import type { Db, DbOrTx, Tx } from "../db/client.ts";
import type { Damage } from "./checking/integrity.ts";
import type { KeptObject } from "./objects/kept-object.ts";
import type { Integrity } from "./objects/stored-objects.table.ts";

/** An object that the archive store must have, and the integrity recorded for its exam. */
export interface ExpectedObject extends Pick<KeptObject, "id" | "kind" | "key" | "sizeBytes"> {
  ownerId: string;
  integrity: Integrity;
}

/** An object with its exam. */
export interface OwnedObject extends KeptObject {
  ownerId: string;
}

/** The place of an object in the order of exams, then of objects. */
export interface ObjectPlace {
  ownerId: string;
  objectId: string;
}

export interface MarkedExam {
  /** Whether the exam had no mark at least as bad before. */
  isNew: boolean;
  /** Null for a laboratory PDF. */
  studyId: string | null;
}

/**
 * A room whose rows are exams with stored objects as their bytes. Holdings read and move bytes without knowing exams; the exam's
 * own room records what they find.
 */
export interface ObjectOwner {
  /** Records what reading an object found; returns `undefined` if it was deleted meanwhile, so that nothing is wrong. */
  mark(tx: Tx, objectId: string, found: Damage, at: Date): Promise<MarkedExam | undefined>;
  /** Returns up to `limit` objects after `after`, in the order in which a store lists their keys. */
  listExpected(db: Db, after: ExpectedObject | undefined, limit: number): Promise<ExpectedObject[]>;
  findObject(db: DbOrTx, objectId: string): Promise<OwnedObject | undefined>;
  /** Returns up to `limit` objects after `after`, in the order of exams, then of objects. */
  listObjects(db: Db, after: ObjectPlace | undefined, limit: number): Promise<OwnedObject[]>;
  /** How many objects there are, and their bytes. */
  measure(db: DbOrTx): Promise<{ objects: number; bytes: number }>;
  /** Records that every object of an exam was read; it is sound if no finding is open. */
  settleRead(db: Db, ownerId: string, at: Date): Promise<void>;
  /** Has an exam read again, as far as it is damaged or missing. */
  enqueueCheck(tx: Tx, ownerId: string): Promise<void>;
  /** Takes back the mark of a missing exam of which `presentCount` objects are present; returns `false` if the mark stays. */
  takeBack(db: Db, ownerId: string, presentCount: number, at: Date): Promise<boolean>;
}

/** Studies, whose objects come with uploads and are transferred. */
export interface StudyOwner extends ObjectOwner {
  /** Locks the studies to which an upload brought something until the transaction ends, always in the same order. */
  lockOfUpload(tx: Tx, uploadId: string): Promise<void>;
  /** Sets the status of those among them that still have bytes in a staging area. */
  showStaged(db: DbOrTx, uploadId: string, status: "transferring" | "error"): Promise<void>;
  /** Marks as archived those that have nothing left in a staging area; the caller locks them before. */
  settle(tx: Tx, uploadId: string): Promise<void>;
  /** Called when the transfer of an upload failed again. */
  transferFailed(db: Db, studyIds: readonly string[]): Promise<void>;
  /** Called when an upload's objects of a study have left the staging area. */
  archived(tx: Tx, studyId: string): Promise<void>;
}

export interface ObjectOwners {
  /** The owner of volumes, manifests and reports. */
  studies: StudyOwner;
  /** The owner of laboratory PDFs. */
  labExams: ObjectOwner;
}

export function ownerOf(
  { studies, labExams }: ObjectOwners,
  { kind }: Pick<KeptObject, "kind">,
): ObjectOwner {
  return kind === "lab" ? labExams : studies;
}
