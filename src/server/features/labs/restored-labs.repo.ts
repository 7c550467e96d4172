import type { TransactionSql } from "postgres";

/** Marks, after a restore, the laboratory exams whose PDF is known to be damaged or missing. */
export async function markRestoredLabExams(tx: TransactionSql): Promise<void> {
  await tx`update lab_exams set integrity = found::integrity
    from integrity_findings where closed_at is null and lab_exam_id = lab_exams.id`;
}
