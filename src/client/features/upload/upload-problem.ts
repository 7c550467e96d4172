/** Why files can't be sent. */
export type UploadProblem =
  | "notZip"
  | "tooLarge"
  | "tooManyFiles"
  | "tooManySources"
  | "noFiles"
  | "noDicom"
  | "badZip"
  | "lockedZip"
  | "packingFailed"
  | "noRoomHere"
  /** A newer release has replaced the code that reads or sends them. */
  | "outdated";

/** The picked files can't be sent. */
export class UploadRefused extends Error {
  override name = "UploadRefused";
  constructor(readonly problem: UploadProblem) {
    super(problem);
  }
}
