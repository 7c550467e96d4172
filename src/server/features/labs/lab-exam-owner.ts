import type { ObjectOwner } from "../../holdings/object-owners.ts";
import { clearLabMark, listLabExamsByKey, markLabExam } from "./labs.repo.ts";

/** Writes what holdings find out about laboratory PDFs to their exams. */
export const labExamOwner: ObjectOwner = {
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
  takeBack: (db, examId) => clearLabMark(db, examId, "unchecked"),
};
