import { PageOutdated } from "../../../runtime/page-outdated.ts";
import { type UploadProblem, UploadRefused } from "../upload-problem.ts";
import { PackingFailed } from "./packed-folder.ts";

/** Why files could not be read or packed. @throws what is no failure of the files */
export function problemOf(error: unknown): UploadProblem {
  if (error instanceof UploadRefused) return error.problem;
  if (error instanceof PageOutdated) return "outdated";
  if (error instanceof PackingFailed) return error.isFull ? "noRoomHere" : "packingFailed";
  // While reading it means that the files have vanished.
  if (error instanceof DOMException) return "badZip";
  throw error;
}
