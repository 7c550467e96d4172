import type { MailContent } from "../../../mail/compose-mail.ts";

export function codeMail(code: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.code.subject", message: "Your {productName} verification code" },
    paragraphs: [/*i18n*/ { id: "mail.code.text", message: "Use this code to finish logging in:" }],
    highlight: { code },
    footnotes: [
      /*i18n*/ { id: "mail.code.validity", message: "It is valid for 10 minutes and can only be used once." },
      /*i18n*/ {
        id: "mail.code.unasked",
        message: "If this was not you, somebody knows your password: change it.",
      },
    ],
  };
}

export function resetMail(url: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.reset.subject", message: "Reset your {productName} password" },
    paragraphs: [/*i18n*/ { id: "mail.reset.text", message: "Open this link to choose a new password:" }],
    highlight: { url, label: /*i18n*/ { id: "mail.reset.button", message: "Choose a new password" } },
    footnotes: [
      /*i18n*/ { id: "mail.reset.validity", message: "It is valid for 1 hour and can only be used once." },
      /*i18n*/ {
        id: "mail.reset.unasked",
        message: "If you did not ask for this, ignore this message: your password stays as it is.",
      },
    ],
  };
}

export function invitationMail(url: string, name: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.invitation.subject", message: "Your {productName} account" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.invitation.text",
        message: "Hello {name}. An account was created for you at {productName}.",
      },
      /*i18n*/ { id: "mail.invitation.next", message: "Open this link to choose your password:" },
    ],
    highlight: { url, label: /*i18n*/ { id: "mail.invitation.button", message: "Choose my password" } },
    footnotes: [
      /*i18n*/ {
        id: "mail.invitation.validity",
        message: "It is valid for 7 days and can only be used once.",
      },
    ],
    values: { name },
  };
}

/** It does not say who invites: the owner of an exam is usually its patient. */
export function doctorInvitationMail(url: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.doctorInvitation.subject", message: "You are invited to see an exam" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.doctorInvitation.text",
        message:
          "Somebody wants to show you an exam at {productName}. Open this link to see who, and to accept:",
      },
    ],
    highlight: { url, label: /*i18n*/ { id: "mail.doctorInvitation.button", message: "See the invitation" } },
    footnotes: [
      /*i18n*/ {
        id: "mail.invitation.validity",
        message: "It is valid for 7 days and can only be used once.",
      },
      /*i18n*/ {
        id: "mail.doctorInvitation.unknown",
        message: "If you do not expect an exam from anybody, ignore this message: nothing happens.",
      },
    ],
  };
}

/**
 * To the new address that an account asks for. It names the account (shortened: the address may be mistyped), because the
 * reader may be another person, into whose mailbox a stranger wants to move their account.
 */
export function confirmEmailMail(url: string, oldEmail: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.confirmEmail.subject", message: "Confirm your new e-mail address" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.confirmEmail.text",
        message:
          "The {productName} account of {account} asks to use this address. If that account is yours, open this link:",
      },
    ],
    highlight: { url, label: /*i18n*/ { id: "mail.confirmEmail.button", message: "Confirm this address" } },
    footnotes: [
      /*i18n*/ {
        id: "mail.confirmEmail.validity",
        message: "It is valid for 24 hours and can only be used once.",
      },
      /*i18n*/ {
        id: "mail.confirmEmail.unknown",
        message:
          "If you do not know that account, do not open the link: the account is somebody else's, and for 7 days its former address can take it back with everything in it.",
      },
    ],
    values: { account: maskEmail(oldEmail) },
  };
}

/** `ma…@example.com`: enough for its owner to recognise it. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, Math.min(2, at))}…${email.slice(at)}`;
}

/** To the old address, when a change was asked for. */
export function emailChangeAskedMail(newEmail: string, stopUrl: string): MailContent {
  return {
    subject: /*i18n*/ {
      id: "mail.emailAsked.subject",
      message: "A change of your e-mail address was requested",
    },
    paragraphs: [
      /*i18n*/ {
        id: "mail.emailAsked.text",
        message: "Your {productName} account will use {newEmail} once that address is confirmed.",
      },
      /*i18n*/ {
        id: "mail.emailAsked.stop",
        message: "If this was not you, somebody knows your password. Open this link to stop the change:",
      },
    ],
    highlight: { url: stopUrl, label: /*i18n*/ { id: "mail.emailAsked.button", message: "Stop the change" } },
    footnotes: [
      /*i18n*/ {
        id: "mail.emailAsked.validity",
        message:
          "It is valid for 7 days and can only be used once. Once the new address is confirmed, it gives your account this address back.",
      },
    ],
    values: { newEmail },
  };
}

/** To the address that the account had between the change and its undo. */
export function emailRestoredMail(): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.emailRestored.subject", message: "Your e-mail address was changed back" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.emailRestored.text",
        message:
          "The address that your {productName} account had before has undone the change. The account no longer uses this address, and every session has ended.",
      },
    ],
  };
}

/** To both addresses, when an admin changed it. */
export function emailChangedMail(newEmail: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.emailChanged.subject", message: "Your e-mail address was changed" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.emailChanged.text",
        message: "An administrator changed the address of your {productName} account to {newEmail}.",
      },
    ],
    values: { newEmail },
  };
}
