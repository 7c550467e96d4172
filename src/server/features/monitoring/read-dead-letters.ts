import { type DeadLetter, MAX_DEAD_LETTERS } from "../../../shared/api/operations.ts";
import type { Deps } from "../../deps.ts";
import { type DeadLetterRow, listDeadLetters } from "../../jobs/dead-letters.repo.ts";
import { kindOfQueue } from "../../jobs/queue.ts";

/** As the program and PostgreSQL name errors. Other text may quote data. */
const ERROR_NAME = /^[A-Za-z][\w.-]{0,60}$/;
const ERROR_CODE = /^[\w.-]{1,40}$/;

/** The latest dead letters, newest first. */
export async function readDeadLetters({ db }: Pick<Deps, "db">): Promise<DeadLetter[]> {
  return (await listDeadLetters(db, MAX_DEAD_LETTERS)).map(presentDeadLetter);
}

function presentDeadLetter(letter: DeadLetterRow): DeadLetter {
  const { id, queue, diedAt, attempts } = letter;
  return {
    id,
    kind: kindOfQueue(queue),
    diedAt: diedAt.toISOString(),
    attempts,
    errorClass: classOf(letter),
  };
}

function classOf({ errorName, errorCode }: DeadLetterRow): string {
  const name = errorName !== null && ERROR_NAME.test(errorName) ? errorName : "Error";
  return errorCode !== null && ERROR_CODE.test(errorCode) ? `${name} ${errorCode}` : name;
}
