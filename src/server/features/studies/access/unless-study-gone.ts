import { isReferenceGone } from "../../../db/database.errors.ts";
import { AppError } from "../../../http/app-error.ts";
import { studyNotFound } from "../studies.errors.ts";

/**
 * Waits for a change that refers to studies which were found before it began.
 * @throws {AppError} `study.not_found` if one of them was deleted meanwhile
 */
export async function unlessStudyGone<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (cause) {
    throw isReferenceGone(cause) ? new AppError(studyNotFound, { cause }) : cause;
  }
}
