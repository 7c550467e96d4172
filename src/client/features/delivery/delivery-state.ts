import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import type { FoundStudy } from "../upload/look-inside/contents.ts";
import type { PreparedUpload } from "../upload/prepare-upload.ts";
import type { UploadProblem } from "../upload/upload-problem.ts";
import type { Transfer } from "../upload/upload-state.ts";

/** A file that was picked, and what to send of it. */
export interface PickedDelivery {
  prepared: Pick<PreparedUpload, "zip" | "fileName" | "contents" | "dispose">;
  kind: "zip" | "folder";
  name: string;
  /** Of the upload that an earlier page began with it. */
  begunId?: string | undefined;
}

/** An exam as the page read it from the files. */
export type ReadStudy = Pick<FoundStudy, "about">;

/** Of a delivery that another page began. */
export interface HalfSent {
  uploadId: string;
  fileName: string;
  percent: number;
}

export type DeliveryState =
  | { step: "opening" }
  /** The request does not open, for whatever reason. */
  | { step: "closed" }
  | { step: "failed"; message: string }
  | { step: "who"; request: OpenedRequest; message?: string; isBusy: boolean }
  | {
      step: "pick";
      request: OpenedRequest;
      problem?: UploadProblem | undefined;
      message?: string | undefined;
      halfSent?: HalfSent | undefined;
    }
  | { step: "reading"; request: OpenedRequest }
  /** The patient of the images is not who the request names. */
  | { step: "name"; request: OpenedRequest; picked: PickedDelivery; found: string }
  | { step: "sending"; request: OpenedRequest; picked: PickedDelivery; transfer: Transfer }
  /** Another page sent all of it, and the server takes it in. */
  | { step: "taking"; request: OpenedRequest; upload: ResumableUploadState }
  | {
      step: "done";
      request: OpenedRequest;
      from: string;
      uploadId: string;
      answer: UploadAnswer;
      /** As this page read the exams from the files; absent after a reload. */
      studies?: readonly ReadStudy[] | undefined;
    };

/** A delivery that was made. */
export type Receipted = Extract<DeliveryState, { step: "done" }>;
