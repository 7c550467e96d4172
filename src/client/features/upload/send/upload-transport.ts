import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { type OutgoingUpload, type SendOptions, sendUpload } from "./send-upload.ts";

/** How a ZIP travels to the server. */
export interface UploadTransport {
  /** Whether the server keeps what arrived before a failure, so that another attempt goes on from there. */
  readonly resumes: boolean;
  /**
   * Sends the ZIP and returns the server's answer.
   * @throws {ApiError} status 0 with code `network` if the connection failed; the signal's reason when aborted
   */
  send(upload: OutgoingUpload, options: SendOptions): Promise<UploadAnswer>;
}

/** One form in one request: a failure loses what was sent. */
export const formTransport: UploadTransport = { resumes: false, send: sendUpload };
