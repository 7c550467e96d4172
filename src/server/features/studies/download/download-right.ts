import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { createRecheck } from "../../../http/while-allowed.ts";
import type { DownloadRight } from "./download-body.ts";
import { chargeDownload, findDownloadable, type StudyFile } from "./download-study.ts";

/** Who downloads what. */
export interface DownloadCaller {
  session: Session;
  file: StudyFile;
  /** The caller as they are now. @throws {AppError} once their session or token has ended */
  readmit(): Promise<Session>;
}

/** The right of a session, or of a token of its, to download studies that it may see. */
export function downloadRightOf(
  deps: Pick<Deps, "db" | "clock" | "elapsedMs">,
  { session, file, readmit }: DownloadCaller,
  origin: RequestOrigin,
): DownloadRight {
  return {
    charge: (asked) => chargeDownload(deps, session, file, { ...asked, origin }),
    recheck: createRecheck(deps.elapsedMs, async () => {
      const caller = await readmit();
      for (const { id } of file.studies) await findDownloadable(deps, caller, id);
    }),
  };
}
