import { checkObject } from "../../holdings/checking/check-object.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import { labObject } from "./lab-object.ts";
import { findLabExamOfAnyone, saveLabIntegrity } from "./labs.repo.ts";

/**
 * Reads a laboratory PDF again and records its integrity. Idempotent.
 * @throws when it can't be read now, which does not mean that it is damaged
 */
export async function checkLabExam(deps: ObjectDeps, labExamId: string, signal?: AbortSignal): Promise<void> {
  const exam = await findLabExamOfAnyone(deps.db, labExamId);
  if (!exam) return;
  await saveLabIntegrity(deps.db, exam.id, (await checkObject(deps, labObject(exam), { signal })) ?? "ok");
}
