import type { Locale } from "../../../shared/locale.ts";
import { translate } from "../../http/translate.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { dateInBrazil, momentInBrazil } from "../../mail/mail-values.ts";

const seeSubscription = (publicUrl: string) => `${publicUrl}/his/subscription`;

const renewButton = /*i18n*/ { id: "mail.ending.renew", message: "Renew my subscription" };
const whatWasRemoved = /*i18n*/ {
  id: "mail.cancelled.removed",
  message: "We removed {exams} from your account, with their reports. Nobody can open them any more.",
};
const untilWhen = /*i18n*/ {
  id: "mail.cancelled.undo",
  message:
    "Until {undoUntil} (Brasília time) we can bring everything back: write to {contact}. After that it is deleted for good.",
};

interface Exams {
  studies: number;
  labExams: number;
}

interface Removed extends Exams {
  undoUntil: Date;
}

/** "2 imaging exams and 1 lab exam"; omits a kind with a count of zero. */
function examsText({ studies, labExams }: Exams, locale: Locale): string {
  const imaging = /*i18n*/ {
    id: "mail.exams.imaging",
    message: "{studies, plural, one {# imaging exam} other {# imaging exams}}",
  };
  const lab = /*i18n*/ {
    id: "mail.exams.lab",
    message: "{labExams, plural, one {# lab exam} other {# lab exams}}",
  };
  const [imagingText, labText] = [
    translate(locale, imaging, { studies }),
    translate(locale, lab, { labExams }),
  ];
  if (labExams === 0) return imagingText;
  if (studies === 0) return labText;
  const both = /*i18n*/ { id: "mail.exams.both", message: "{imagingText} and {labText}" };
  return translate(locale, both, { imagingText, labText });
}

/** To a user who cancelled. Without `removed` the user is an admin, who keeps their exams. */
export function cancelledMail(cancelled: {
  plan: string;
  locale: Locale;
  /** The address of an operator who can undo it. */
  contact: string | undefined;
  removed: Removed | undefined;
}): MailContent {
  const { plan, locale, contact = "", removed } = cancelled;
  return {
    subject: /*i18n*/ { id: "mail.cancelled.subject", message: "Your {plan} subscription was cancelled" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.cancelled.text",
        message: "As you asked, your {plan} subscription at {productName} has ended.",
      },
      ...cancellationOf(removed),
    ],
    footnotes: [
      /*i18n*/ {
        id: "mail.cancelled.unasked",
        message: "If it was not you, change your password now and tell us at once.",
      },
    ],
    values: {
      plan,
      contact,
      ...(removed && {
        exams: examsText(removed, locale),
        undoUntil: momentInBrazil(removed.undoUntil, locale),
      }),
    },
  };
}

function cancellationOf(removed: Removed | undefined): MailContent["paragraphs"] {
  if (!removed)
    return [
      /*i18n*/ {
        id: "mail.cancelled.admin",
        message: "Nothing was removed: as an administrator you keep your exams and your access.",
      },
    ];
  if (removed.studies + removed.labExams > 0) return [whatWasRemoved, untilWhen];
  return [
    /*i18n*/ {
      id: "mail.cancelled.empty",
      message:
        "You had no exams stored, so nothing was removed. If you did not mean to cancel, write to {contact} by {undoUntil} (Brasília time).",
    },
  ];
}

/** To a user whose exams were removed a year after their subscription ended. */
export function lapsedMail(
  lapsed: Removed & { plan: string; endedAt: Date; locale: Locale; contact: string | undefined },
): MailContent {
  const { plan, endedAt, locale, contact = "", undoUntil } = lapsed;
  return {
    subject: /*i18n*/ { id: "mail.lapsed.subject", message: "Your exams were removed" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.lapsed.text",
        message:
          "Your {plan} subscription at {productName} ended on {endedAt} and was not renewed for a year, as we wrote to you.",
      },
      whatWasRemoved,
      untilWhen,
    ],
    values: {
      plan,
      contact,
      exams: examsText(lapsed, locale),
      endedAt: dateInBrazil(endedAt, locale),
      undoUntil: momentInBrazil(undoUntil, locale),
    },
  };
}

/** Warns that exams will be removed because the subscription was not renewed. */
export function lapseWarningMail(
  warning: Exams & {
    plan: string;
    endedAt: Date;
    removalAt: Date;
    days: number;
    locale: Locale;
    publicUrl: string;
  },
): MailContent {
  const { plan, endedAt, removalAt, days, locale, publicUrl } = warning;
  return {
    subject: /*i18n*/ {
      id: "mail.lapsing.subject",
      message: "Your exams will be deleted on {removalAt}",
    },
    paragraphs: [
      /*i18n*/ {
        id: "mail.lapsing.text",
        message: "Your {plan} subscription at {productName} ended on {endedAt} and was not renewed.",
      },
      /*i18n*/ {
        id: "mail.lapsing.what",
        message:
          "In {days, plural, one {# day} other {# days}}, on {removalAt}, what you still keep is deleted: {exams}, with their reports.",
      },
      /*i18n*/ {
        id: "mail.lapsing.renew",
        message: "Renew before then to keep them or to download them:",
      },
    ],
    highlight: { url: seeSubscription(publicUrl), label: renewButton },
    values: {
      plan,
      days,
      exams: examsText(warning, locale),
      endedAt: dateInBrazil(endedAt, locale),
      removalAt: dateInBrazil(removalAt, locale),
    },
  };
}

/** To a user whose cancellation, or removal after a year, an admin undid. */
export function restoredMail(
  restored: Exams & {
    skippedStudies: number;
    subscription: { expiresAt: Date | null };
    isActive: boolean;
    locale: Locale;
    publicUrl: string;
  },
): MailContent {
  const { studies, labExams, skippedStudies, subscription, isActive, locale, publicUrl } = restored;
  const { expiresAt } = subscription;
  const { subject, text } = studies + labExams > 0 ? broughtBack : nothingToBring;
  return {
    subject,
    paragraphs: [text, ...(skippedStudies > 0 ? [leftOut] : []), stateOf(isActive, expiresAt)],
    highlight: {
      url: seeSubscription(publicUrl),
      label: /*i18n*/ { id: "mail.restored.button", message: "See my subscription" },
    },
    values: {
      skippedStudies,
      exams: examsText(restored, locale),
      expiresAt: expiresAt ? dateInBrazil(expiresAt, locale) : "",
    },
  };
}

const broughtBack = {
  subject: /*i18n*/ { id: "mail.restored.subject", message: "Your exams are back" },
  text: /*i18n*/ {
    id: "mail.restored.text",
    message: "We brought {exams} back to your account at {productName}, all as it was before.",
  },
};
const nothingToBring = {
  subject: /*i18n*/ { id: "mail.restored.emptySubject", message: "The cancellation was undone" },
  text: /*i18n*/ {
    id: "mail.restored.empty",
    message: "We undid the cancellation of your subscription at {productName}.",
  },
};
const leftOut = /*i18n*/ {
  id: "mail.restored.skipped",
  message:
    "{skippedStudies, plural, one {# imaging exam was left out: you have sent it again since.} other {# imaging exams were left out: you have sent them again since.}}",
};

function stateOf(isActive: boolean, expiresAt: Date | null): MailContent["paragraphs"][number] {
  if (!isActive)
    return /*i18n*/ {
      id: "mail.restored.ended",
      message: "Your subscription ended on {expiresAt}: renew it to open them.",
    };
  return expiresAt
    ? /*i18n*/ { id: "mail.restored.until", message: "Your subscription is active until {expiresAt}." }
    : /*i18n*/ { id: "mail.restored.endless", message: "Your subscription is active." };
}

/** Before (`days` above 0) and after the end of a subscription. */
export function endingMail(ending: {
  /** The plan's name; undefined for the trial, which has its own text. */
  plan: string | undefined;
  expiresAt: Date;
  days: number;
  /** Whether exams are removed a year after the end. */
  lapses: boolean;
  locale: Locale;
  publicUrl: string;
}): MailContent {
  const { plan = "", expiresAt, days, lapses, locale, publicUrl } = ending;
  const isTrial = ending.plan === undefined;
  const hasEnded = days <= 0;
  const { subject, text } = (isTrial ? trialWords : planWords)[hasEnded ? "ended" : "ahead"];
  return {
    subject,
    paragraphs: [text],
    highlight: { url: seeSubscription(publicUrl), label: isTrial ? choosePlanButton : renewButton },
    footnotes: hasEnded ? [stillThere, ...(lapses ? [oneYear] : [])] : [],
    values: { plan, days, expiresAt: dateInBrazil(expiresAt, locale) },
  };
}

const choosePlanButton = /*i18n*/ { id: "mail.ending.choose", message: "Choose a plan" };
const stillThere = /*i18n*/ { id: "mail.ending.kept", message: "Your exams are still stored." };
const oneYear = /*i18n*/ {
  id: "mail.ending.oneYear",
  message: "Without renewal they are deleted one year after this date; we will write to you before.",
};

const planWords = {
  ahead: {
    subject: /*i18n*/ {
      id: "mail.ending.subject",
      message: "Your {plan} subscription ends on {expiresAt}",
    },
    text: /*i18n*/ {
      id: "mail.ending.text",
      message:
        "Your {plan} subscription at {productName} ends on {expiresAt}, in {days, plural, one {# day} other {# days}}. Renew it, and nothing is interrupted:",
    },
  },
  ended: {
    subject: /*i18n*/ { id: "mail.ended.subject", message: "Your {plan} subscription has ended" },
    text: /*i18n*/ {
      id: "mail.ended.text",
      message:
        "Your {plan} subscription at {productName} ended on {expiresAt}. Renew it to open and send exams again:",
    },
  },
};

const trialWords = {
  ahead: {
    subject: /*i18n*/ {
      id: "mail.trialEnding.subject",
      message: "Your {productName} trial ends on {expiresAt}",
    },
    text: /*i18n*/ {
      id: "mail.trialEnding.text",
      message:
        "Your trial of {productName} ends on {expiresAt}, in {days, plural, one {# day} other {# days}}. Choose a plan to keep opening and sending exams:",
    },
  },
  ended: {
    subject: /*i18n*/ { id: "mail.trialEnded.subject", message: "Your {productName} trial has ended" },
    text: /*i18n*/ {
      id: "mail.trialEnded.text",
      message:
        "Your trial of {productName} ended on {expiresAt}. Choose a plan to open and send exams again:",
    },
  },
};
