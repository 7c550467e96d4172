import type { NotificationEvent } from "../../../shared/rules/notification-events.ts";
import type { MailContent } from "../../mail/compose-mail.ts";

type Text = MailContent["subject"];

/** The mails of these events say more than that they happened. Who tells of such an event brings its mail. */
export type EventWithMail = "link.opened" | "link.blocked" | "payment.confirmed" | "plan.ending";
export type EventWithText = Exclude<NotificationEvent, EventWithMail>;

/** The mail of an event. It names nobody and no exam: what it is about is read behind the sign-in. */
export function eventMail(event: EventWithText, publicUrl: string): MailContent {
  const { subject, text } = texts[event];
  return {
    subject,
    paragraphs: [text],
    highlight: {
      url: `${publicUrl}/his`,
      label: /*i18n*/ { id: "mail.event.button", message: "Open {productName}" },
    },
    footnotes: [
      /*i18n*/ {
        id: "mail.event.choice",
        message: "Your profile says which of these messages you get by e-mail.",
      },
    ],
  };
}

const texts: Record<EventWithText, { subject: Text; text: Text }> = {
  "study.shared": {
    subject: /*i18n*/ { id: "mail.event.shared.subject", message: "An exam was shared with you" },
    text: /*i18n*/ {
      id: "mail.event.shared.text",
      message: "Somebody shares an exam with you. Log in to see it.",
    },
  },
  "report.attached": {
    subject: /*i18n*/ { id: "mail.event.report.subject", message: "An exam of yours has a report" },
    text: /*i18n*/ {
      id: "mail.event.report.text",
      message: "A report was attached to an exam that you keep. Log in to read it.",
    },
  },
  "delivery.received": {
    subject: /*i18n*/ { id: "mail.event.delivery.subject", message: "An exam was delivered to you" },
    text: /*i18n*/ {
      id: "mail.event.delivery.text",
      message:
        "Somebody delivered an exam by your request. Log in to see it. For 7 days you may delete it without using an action.",
    },
  },
  "payment.waiting": {
    subject: /*i18n*/ { id: "mail.event.pix.subject", message: "A Pix waits for your confirmation" },
    text: /*i18n*/ {
      id: "mail.event.pix.text",
      message: "Somebody asked for a plan by Pix. Confirm it once you see the amount on your bank statement.",
    },
  },
  "account.waiting": {
    subject: /*i18n*/ {
      id: "mail.event.account.subject",
      message: "An account waits for your authorization",
    },
    text: /*i18n*/ {
      id: "mail.event.account.text",
      message: "Somebody created an account. They can log in once an administrator authorizes it.",
    },
  },
  "transfer.failed": {
    subject: /*i18n*/ {
      id: "mail.event.transfer.subject",
      message: "An exam did not reach the archive store",
    },
    text: /*i18n*/ {
      id: "mail.event.transfer.text",
      message: "Its files are kept on the server that received them. The list of exams offers another try.",
    },
  },
  "invitation.accepted": {
    subject: /*i18n*/ { id: "mail.event.invitation.subject", message: "Your invitation was accepted" },
    text: /*i18n*/ {
      id: "mail.event.invitation.text",
      message: "The person you invited can see the exam now. Log in to see who has access.",
    },
  },
};
