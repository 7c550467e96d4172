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
  | "noRoomHere";

/** The picked files can't be sent. */
export class UploadRefused extends Error {
  override name = "UploadRefused";
  constructor(readonly problem: UploadProblem) {
    super(problem);
  }
}
