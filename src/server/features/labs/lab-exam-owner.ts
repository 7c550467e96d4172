import type { Deps } from "../../deps.ts";
import { closeFindings, findOpenFinding } from "../../holdings/checking/findings.repo.ts";
import { checkLabExamQueue } from "../../holdings/holding-queues.ts";
import type { ObjectOwner, OwnedObject } from "../../holdings/object-owners.ts";
import { labObject } from "./lab-object.ts";
import {
  clearLabMark,
  findLabExamOfAnyone,
  type LabExamRow,
  listLabExamsById,
  listLabExamsByKey,
  markLabExam,
  measureLabExams,
  saveLabIntegrity,
} from "./labs.repo.ts";

/** Writes what holdings find out about laboratory PDFs to their exams, each of which is one object. */
export function createLabExamOwner({ jobs }: Pick<Deps, "jobs">): ObjectOwner {
  return {
    async mark(tx, examId, found) {
      const isNew = await markLabExam(tx, examId, found);
      return isNew === undefined ? undefined : { isNew, studyId: null };
    },
    async listExpected(db, after, limit) {
      const exams = await listLabExamsByKey(db, after?.key ?? "", limit);
      return exams.map(({ id, key, sizeBytes, integrity }) => {
        return { id, kind: "lab", key, sizeBytes, ownerId: id, integrity };
      });
    },
    async findObject(db, examId) {
      const exam = await findLabExamOfAnyone(db, examId);
      return exam && ownedObject(exam);
    },
    async listObjects(db, after, limit) {
      return (await listLabExamsById(db, after?.objectId ?? null, limit)).map(ownedObject);
    },
    measure: measureLabExams,
    settleRead: (db, examId) =>
      db.transaction(async (tx) => {
        if (!(await findOpenFinding(tx, examId))) await saveLabIntegrity(tx, examId, "ok");
      }),
    async enqueueCheck(tx, labExamId) {
      await jobs.enqueue(checkLabExamQueue, { labExamId }, { tx, singletonKey: labExamId });
    },
    takeBack: (db, examId, _presentCount, at) =>
      db.transaction(async (tx) => {
        if (!(await clearLabMark(tx, examId))) return false;
        await closeFindings(tx, [examId], "reread", at);
        return true;
      }),
  };
}

function ownedObject(exam: LabExamRow): OwnedObject {
  return { ...labObject(exam), ownerId: exam.id };
}
