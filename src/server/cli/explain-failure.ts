import { isDatabaseFull, isDatabaseUnavailable, isLoginRefused } from "../db/database.errors.ts";
import { causesOf } from "../runtime/causes.ts";
import { describeError } from "../runtime/log.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { errnoOf } from "../storage/disk/fs-failure.ts";
import { StoreRefuses, StoreUnavailable } from "../storage/object-store.ts";

/** Of the process and of the whole system. */
const FILE_LIMITS: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);

/**
 * Says why a command failed: in a sentence, if the operator can mend it. The message of any other error is left out, because it may
 * quote personal data, such as the values of a failed statement.
 */
export function explainFailure(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const reason = reasonOf(error);
  if (isLoginRefused(error))
    return `The database refuses us${reason}: look at the role, the password and the name in DATABASE_URL.`;
  if ([...causesOf(error)].some(isDatabaseFull))
    return `The disk of the database is full${reason}: give it room and run the command again.`;
  if (isDatabaseUnavailable(error)) return `The database can't be reached${reason}: look at DATABASE_URL.`;
  const refused = [...causesOf(error)].find((cause) => cause instanceof StoreRefuses);
  if (refused?.why === "full")
    return `The archive store is full, or a quota is used up${reason}: give it room and run the command again.`;
  if (refused)
    return `The archive store takes nothing from us${reason}: see whether the key may write, and the bucket's quota.`;
  const certificate = [...causesOf(error)].map(certificateFault).find((fault) => fault !== undefined);
  if (certificate) return `The certificate of the other side ${certificate[0]}${reason}: ${certificate[1]}.`;
  if ([...causesOf(error)].some((cause) => cause instanceof StoreUnavailable))
    return `The archive store can't be reached${reason}: look at S3_ENDPOINT and the other S3_* settings.`;
  const errno = errnoOf(error);
  if (errno !== undefined && FILE_LIMITS.has(errno))
    return `Too many files would be open at once (${errno}): let the program have 1024 or more (ulimit -n, LimitNOFILE of systemd).`;
  if (errno !== undefined && error instanceof Error) {
    const { syscall, path, port } = error as NodeJS.ErrnoException & { port?: number };
    const what = path ?? (port === undefined ? "" : `port ${port}`);
    return `The system refused: ${[errno, syscall, what].filter(Boolean).join(" ")}`;
  }
  return JSON.stringify(describeError(error));
}

/** What is wrong with a certificate and what the operator does about it, by the codes of OpenSSL and Node.js. */
function certificateFault(error: Error): [fault: string, remedy: string] | undefined {
  if (!("code" in error) || typeof error.code !== "string" || !/CERT|SIGNATURE/.test(error.code))
    return undefined;
  if (error.code.includes("ALTNAME")) return ["has another name", "use one of its names in the address"];
  if (/EXPIRED|NOT_YET_VALID/.test(error.code))
    return ["is not valid today", "have it renewed, and look at the clock of this machine"];
  return ["is not trusted", "name the file of its authority in NODE_EXTRA_CA_CERTS"];
}

function reasonOf(error: unknown): string {
  for (const cause of causesOf(error))
    if ("code" in cause && typeof cause.code === "string" && cause.code !== "") return ` (${cause.code})`;
  return "";
}
