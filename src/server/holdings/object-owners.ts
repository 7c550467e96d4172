import type { Db, DbOrTx, Tx } from "../db/client.ts";
import type { Damage } from "./checking/integrity.ts";
import type { KeptObject } from "./objects/kept-object.ts";
import type { Integrity } from "./objects/stored-objects.table.ts";

/** An object that the archive store has to hold, and what is noted of the exam it belongs to. */
export interface ExpectedObject extends Pick<KeptObject, "id" | "kind" | "key" | "sizeBytes"> {
  ownerId: string;
  integrity: Integrity;
}

export interface MarkedExam {
  /** Whether nothing as bad was noted before. */
  isNew: boolean;
  /** Null: a laboratory PDF. */
  studyId: string | null;
}

/**
 * A room whose rows are exams, and stored objects their bytes. Holdings read and move bytes and know no exams; what that
 * shows of an exam, its own room writes down.
 */
export interface ObjectOwner {
  /** Notes what reading an object found; `undefined` where it was deleted meanwhile, so that nothing is wrong. */
  mark(tx: Tx, objectId: string, found: Damage, at: Date): Promise<MarkedExam | undefined>;
  /** Up to `limit` objects behind `after`, in the order in which a store lists their keys. */
  listExpected(db: Db, after: ExpectedObject | undefined, limit: number): Promise<ExpectedObject[]>;
  /** An exam was missing, and `presentCount` of its objects are there; `false` where the mark stays. */
  takeBack(db: Db, ownerId: string, presentCount: number): Promise<boolean>;
}

/** Studies, whose objects come with uploads and are transferred. */
export interface StudyOwner extends ObjectOwner {
  /** Locks the studies to which an upload brought something until the transaction ends, always in the same order. */
  lockOfUpload(tx: Tx, uploadId: string): Promise<void>;
  /** Shows, on those of them that still have bytes in a staging area, what becomes of these. */
  showStaged(db: DbOrTx, uploadId: string, status: "transferring" | "error"): Promise<void>;
  /** Shows as archived those that have nothing left in a staging area. They are locked before. */
  settle(tx: Tx, uploadId: string): Promise<void>;
  /** What an upload brought to a study has left the staging area. */
  archived(tx: Tx, studyId: string): Promise<void>;
}

export interface ObjectOwners {
  /** Of volumes, manifests and reports. */
  studies: StudyOwner;
  /** Of laboratory PDFs. */
  labExams: ObjectOwner;
}

export function ownerOf(
  { studies, labExams }: ObjectOwners,
  { kind }: Pick<KeptObject, "kind">,
): ObjectOwner {
  return kind === "lab" ? labExams : studies;
}
