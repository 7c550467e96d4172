import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { describeError } from "../../../runtime/log.ts";
import { endResumable } from "./ended-resumables.repo.ts";
import { resumableNotFound } from "./resumable.errors.ts";
import { removeResumableBytes } from "./sweep-resumables.ts";
import type { UploadSender } from "./upload-sender.ts";

/**
 * Ends an upload at its sender's wish, whatever its state: what was stored stays stored, what was not is not stored any more.
 * @throws {AppError} `upload.not_found`
 */
export async function endUpload(
  deps: Pick<Deps, "arriving" | "db" | "clock" | "log">,
  sender: UploadSender,
  id: string,
): Promise<void> {
  if (!(await endResumable(deps.db, sender, id, deps.clock.now()))) throw new AppError(resumableNotFound);
  await removeResumableBytes(deps, id).catch((error) =>
    // The sweep removes them.
    deps.log.warn("upload.leftovers", describeError(error)),
  );
}
