import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { UploadNews } from "./follow/follow-upload.ts";
import type { UploadProblem } from "./upload-problem.ts";
import type { Phase } from "./upload-state.ts";

export const problemTexts: Record<UploadProblem, MessageDescriptor> = {
  notZip: msg({
    id: "upload.problem.notZip",
    message: "Only ZIP files are accepted. A folder can be uploaded as a whole.",
  }),
  tooLarge: msg({ id: "upload.problem.tooLarge", message: "File too large. Maximum size: {limit}." }),
  tooManyFiles: msg({
    id: "upload.problem.tooManyFiles",
    message: "This folder has more than {files} files. Upload it in parts: one folder for each exam.",
  }),
  noFiles: msg({ id: "upload.problem.noFiles", message: "Select at least one file." }),
  noDicom: msg({
    id: "upload.problem.noDicom",
    message: "Error validating DICOM: no file with a readable exam was found.",
  }),
  badZip: msg({ id: "upload.problem.badZip", message: "ZIP file not found or invalid" }),
  lockedZip: msg({
    id: "upload.problem.lockedZip",
    message: "This ZIP has a password. Unpack it on your device and choose the folder that comes out.",
  }),
  tooManySources: msg({
    id: "upload.problem.tooManySources",
    message: "At most {sources} ZIPs and folders at once. Upload these first.",
  }),
  noRoomHere: msg({
    id: "upload.problem.noRoomHere",
    message: "This device has no room left to put the exams together. Free up some space, or choose fewer.",
  }),
  outdated: msg({
    id: "upload.problem.outdated",
    message: "There is a newer version of this page. Reload it to continue.",
  }),
  packingFailed: msg({
    id: "upload.problem.packingFailed",
    message: "The folder could not be read. Check that the disc or the folder is still there and try again.",
  }),
};

export const phaseTexts: Record<Phase, MessageDescriptor> = {
  extracting: msg({ id: "upload.phase.extracting", message: "Extracting ZIP" }),
  validating: msg({ id: "upload.phase.validating", message: "Validating DICOM" }),
  filtering: msg({ id: "upload.phase.filtering", message: "Filtering DICOM files" }),
  uploading: msg({ id: "upload.phase.uploading", message: "Uploading to server" }),
  processing: msg({ id: "upload.phase.processing", message: "Processing on server" }),
};

export const readingFolderText = msg({ id: "upload.phase.readingFolder", message: "Reading folder" });

export const newsTexts: Record<
  UploadNews,
  { tone: "ok" | "info" | "bad"; title: MessageDescriptor; text: MessageDescriptor }
> = {
  transferring: {
    tone: "info",
    title: msg({ id: "upload.news.done", message: "Upload complete" }),
    text: msg({
      id: "upload.news.transferring",
      message: "Your exam was processed and is moving to secure storage.",
    }),
  },
  transferred: {
    tone: "ok",
    title: msg({ id: "upload.news.transferDone", message: "Transfer complete" }),
    text: msg({ id: "upload.news.ready", message: "Your exam is ready for viewing." }),
  },
  ready: {
    tone: "ok",
    title: msg({ id: "upload.news.done", message: "Upload complete" }),
    text: msg({ id: "upload.news.ready", message: "Your exam is ready for viewing." }),
  },
  sent: {
    tone: "ok",
    title: msg({ id: "upload.news.done", message: "Upload complete" }),
    text: msg({ id: "upload.news.sent", message: "Your exam was sent and will soon be ready for viewing." }),
  },
  transferFailed: {
    tone: "bad",
    title: msg({ id: "upload.news.transferFailedTitle", message: "Upload complete, transfer failed" }),
    text: msg({
      id: "upload.news.transferFailed",
      message:
        "{failed, plural, one {Moving an exam to secure storage failed. Its files are kept on the server.} other {Moving # exams to secure storage failed. Their files are kept on the server.}}",
    }),
  },
};
