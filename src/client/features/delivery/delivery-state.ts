import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import type { Packing } from "../upload/draft/draft-state.ts";
import type { PlannedUpload } from "../upload/draft/plan-uploads.ts";
import type { FoundSeries, FoundStudy } from "../upload/look-inside/contents.ts";
import type { PackedFolder } from "../upload/pack-folder/packed-folder.ts";
import type { UploadProblem } from "../upload/upload-problem.ts";
import type { Transfer } from "../upload/upload-state.ts";

/** Why something that was picked can't go; `imageTooLarge`: one image of an exam alone is larger than an upload may be. */
export type DeliveryProblem = UploadProblem | "imageTooLarge" | "tooManyUploads";

/** What can't go, by its name; empty if it has none. */
export interface LeftOut {
  name: string;
  problem: DeliveryProblem;
}

/** An exam that is delivered, as far as it is shown. */
export interface PickedExam extends Pick<FoundStudy, "about" | "images"> {
  series: readonly Pick<FoundSeries, "images" | "film">[];
}

/** What was picked, and what of it goes. */
export interface PickedDelivery {
  /** Of the first file or folder. */
  name: string;
  uploads: readonly PlannedUpload[];
  exams: readonly PickedExam[];
  leftOut: readonly LeftOut[];
}

/** An upload that an earlier page packed and did not send whole. */
export interface BegunUpload extends PackedFolder {
  /** Of the row that the browser remembers. */
  rowId: string;
  fileName: string;
}

/** An exam as the page read it from the files. */
export type ReadStudy = Pick<FoundStudy, "about">;

/** Of a delivery that another page began. */
export interface HalfSent {
  uploadId: string;
  fileName: string;
  percent: number;
}

/** An upload that the server did not keep, and why. */
export interface RefusedUpload {
  fileName: string;
  message: string;
}

/** An upload that arrived, and what it brought. */
export interface Delivered {
  uploadId: string;
  answer: UploadAnswer;
}

/** How many uploads of a delivery have arrived. */
export interface Parts {
  arrived: number;
  total: number;
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
      problems?: readonly LeftOut[] | undefined;
      message?: string | undefined;
      halfSent?: HalfSent | undefined;
      /** What is left of a delivery that stopped in the middle, and the receipt of what arrived of it. */
      parts?: Parts | undefined;
      receipt?: Receipted | undefined;
      refused?: readonly RefusedUpload[] | undefined;
    }
  | { step: "reading"; request: OpenedRequest; isWaiting?: boolean }
  /** The patient of the images is not who the request names, or something can't go. */
  | { step: "check"; request: OpenedRequest; picked: PickedDelivery; found: string | undefined }
  | {
      step: "sending";
      request: OpenedRequest;
      /** What is sent, as it is shown. */
      picked: Pick<PickedDelivery, "name" | "exams">;
      /** The progress of all its uploads together. */
      transfer: Transfer;
      parts: Parts;
      packing?: Packing | undefined;
    }
  /** Another page sent all of it, and the server takes it in. */
  | { step: "taking"; request: OpenedRequest; upload: ResumableUploadState }
  | {
      step: "done";
      request: OpenedRequest;
      from: string;
      /** At least one. */
      delivered: readonly Delivered[];
      /** As this page read the exams from the files; absent after a reload. */
      studies?: readonly ReadStudy[] | undefined;
      /** What was sent beside it. */
      refused?: readonly RefusedUpload[] | undefined;
    };

/** A delivery that was made. */
export type Receipted = Extract<DeliveryState, { step: "done" }>;
