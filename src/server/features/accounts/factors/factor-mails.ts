import type { MailContent } from "../../../mail/compose-mail.ts";

const unasked = /*i18n*/ {
  id: "mail.factor.unasked",
  message: "If this was not you, change your password now, which ends every session, and contact support.",
};

export function passkeyAddedMail(name: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.passkeyAdded.subject", message: "A passkey was added to your account" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.passkeyAdded.text",
        message: 'The passkey "{name}" now opens your {productName} account.',
      },
    ],
    footnotes: [unasked],
    values: { name },
  };
}

export function passkeyRemovedMail(name: string): MailContent {
  return {
    subject: /*i18n*/ {
      id: "mail.passkeyRemoved.subject",
      message: "A passkey was removed from your account",
    },
    paragraphs: [
      /*i18n*/ {
        id: "mail.passkeyRemoved.text",
        message: 'The passkey "{name}" no longer opens your {productName} account.',
      },
    ],
    footnotes: [unasked],
    values: { name },
  };
}

export const totpAddedMail: MailContent = {
  subject: /*i18n*/ {
    id: "mail.totpAdded.subject",
    message: "An authenticator app was added to your account",
  },
  paragraphs: [
    /*i18n*/ {
      id: "mail.totpAdded.text",
      message: "Logging in to {productName} now asks for a code from that app.",
    },
  ],
  footnotes: [unasked],
};

export const totpRemovedMail: MailContent = {
  subject: /*i18n*/ {
    id: "mail.totpRemoved.subject",
    message: "The authenticator app was removed from your account",
  },
  paragraphs: [
    /*i18n*/ {
      id: "mail.totpRemoved.text",
      message: "Its codes no longer open your {productName} account.",
    },
  ],
  footnotes: [unasked],
};

export const recoveryCodesMadeMail: MailContent = {
  subject: /*i18n*/ { id: "mail.recoveryMade.subject", message: "New recovery codes were made" },
  paragraphs: [
    /*i18n*/ {
      id: "mail.recoveryMade.text",
      message: "The former recovery codes of your {productName} account no longer work.",
    },
  ],
  footnotes: [unasked],
};

export function recoveryCodeUsedMail(left: number): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.recoveryUsed.subject", message: "A recovery code was used" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.recoveryUsed.text",
        message:
          "A recovery code of your {productName} account was used. {left, plural, =0 {None is left: make new ones in your profile.} one {# is left.} other {# are left.}}",
      },
    ],
    footnotes: [unasked],
    values: { left },
  };
}

export const factorsClearedMail: MailContent = {
  subject: /*i18n*/ {
    id: "mail.factorsCleared.subject",
    message: "Your second factor was removed by an administrator",
  },
  paragraphs: [
    /*i18n*/ {
      id: "mail.factorsCleared.text",
      message:
        "Passkeys, authenticator app and recovery codes of your {productName} account no longer work. Log in with your password and set them up again in your profile.",
    },
  ],
  footnotes: [unasked],
};
