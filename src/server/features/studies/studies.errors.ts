import type { ErrorKind } from "../../http/app-error.ts";

export const studyNotFound: ErrorKind = {
  status: 404,
  code: "study.not_found",
  text: /*i18n*/ { id: "error.study.not_found", message: "Exam not found." },
};
export const studyAmbiguous: ErrorKind = {
  status: 409,
  code: "study.ambiguous",
  text: /*i18n*/ {
    id: "error.study.ambiguous",
    message: "Several accounts hold an exam with this UID. Use the exam's id.",
  },
};
export const studyNotOwner: ErrorKind = {
  status: 403,
  code: "study.not_owner",
  text: /*i18n*/ { id: "error.study.not_owner", message: "Only the owner of this exam can do this." },
};
/** The study's bytes are only on the disk of a node that stopped. */
export const studyNodeGone: ErrorKind = {
  status: 503,
  code: "study.node_gone",
  text: /*i18n*/ {
    id: "error.study.node_gone",
    message:
      "The server that received this exam is not running. The exam is kept on its disk: start that server again with the same data folder.",
  },
};
/** The answer is the same for an unknown address, an account that is not a doctor, and a doctor who may not sign in. */
export const doctorNotFound: ErrorKind = {
  status: 404,
  code: "doctor.not_found",
  text: /*i18n*/ {
    id: "error.doctor.not_found",
    message: "We found no doctor with this e-mail. Invite them, or check the address.",
  },
};
export const studyNotReady: ErrorKind = {
  status: 409,
  code: "study.not_ready",
  text: /*i18n*/ {
    id: "error.study.not_ready",
    message: "This exam is still being moved to secure storage. Please wait for the transfer to finish.",
  },
};

export const downloadTooLarge: ErrorKind = {
  status: 413,
  code: "download.too_large",
  text: /*i18n*/ {
    id: "error.download.too_large",
    message: "These exams have too many images for one file. Download fewer at once.",
  },
};
export const deadInvitation: ErrorKind = {
  status: 400,
  code: "invitation.dead",
  text: /*i18n*/ {
    id: "error.invitation.dead",
    message: "This invitation is no longer valid: it was used, withdrawn, or is older than 7 days.",
  },
};
/** The link's reader has the mailbox, and whoever made the account never showed that they do. */
export const signInToAccept: ErrorKind = {
  status: 403,
  code: "invitation.sign_in",
  text: /*i18n*/ {
    id: "error.invitation.sign_in",
    message:
      "The account of this address has never confirmed it. Log in to it, and open this link again. If you don't know its password, choose a new one first.",
  },
};
export const tooManyInvitations: ErrorKind = {
  status: 409,
  code: "invitation.too_many",
  text: /*i18n*/ {
    id: "error.invitation.too_many",
    message: "Too many of your invitations are open. Withdraw some first.",
  },
};
