import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { byVisitor, type MailCause } from "../../mail/mail-budget.ts";
import { momentInBrazil } from "../../mail/mail-values.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { notify } from "../notifications/notify.ts";

type MailDeps = Pick<Deps, "config" | "jobs" | "mailSeal" | "clock">;

/** An account may have many links, but gets no more mails an hour about them than this. */
const MAILS_AN_HOUR = 20;

/** Tells the owner, in the app and by mail if they want one, that somebody opened a link. */
export async function tellAboutOpening(
  deps: MailDeps,
  tx: Tx,
  owner: UserRow,
  opening: {
    linkId: string;
    studyId: string | undefined;
    recipient: string | null;
    device: string | undefined;
    at: Date;
  },
): Promise<void> {
  const { linkId, studyId, recipient, device, at } = opening;
  await notify(deps, tx, owner.id, {
    event: "link.opened",
    subjectId: linkId,
    ...(studyId !== undefined && { studyId }),
    details: recipient === null ? {} : { from: recipient },
    mail: linkMail(deps, {
      subject: /*i18n*/ { id: "mail.linkOpened.subject", message: "Somebody opened your link" },
      paragraphs: [
        recipient === null ? openedText : openedForText,
        ...(device === undefined ? [] : [deviceText]),
      ],
      values: { recipient: recipient ?? "", device: device ?? "", at: momentInBrazil(at, owner.locale) },
    }),
    cause: causeOf(owner, at),
  });
}

/** Tells the owner, in the app and by mail if they want one, that wrong passcodes ended a link. */
export async function tellAboutPasscodes(
  deps: MailDeps,
  tx: Tx,
  owner: UserRow,
  blocked: { linkId: string; studyId: string | undefined; recipient: string | null; at: Date },
): Promise<void> {
  const { linkId, studyId, recipient, at } = blocked;
  await notify(deps, tx, owner.id, {
    event: "link.blocked",
    subjectId: linkId,
    ...(studyId !== undefined && { studyId }),
    details: recipient === null ? {} : { from: recipient },
    mail: linkMail(deps, {
      subject: /*i18n*/ { id: "mail.linkBlocked.subject", message: "Wrong passcodes ended your link" },
      paragraphs: [recipient === null ? blockedText : blockedForText, againText],
      values: { recipient: recipient ?? "" },
    }),
    cause: causeOf(owner, at),
  });
}

function linkMail(
  { config }: Pick<Deps, "config">,
  content: Pick<MailContent, "subject" | "paragraphs" | "values">,
): MailContent {
  return {
    ...content,
    highlight: { url: `${config.publicUrl}/his`, label: openText },
    footnotes: [endText],
  };
}

function causeOf({ id }: UserRow, at: Date): MailCause {
  return byVisitor([{ name: `links of ${id}`, limit: MAILS_AN_HOUR }], at);
}

// The server does not know where the owner is, so the texts name the time zone.
const openedText = /*i18n*/ {
  id: "mail.linkOpened.text",
  message: "A link to exams of yours was opened on {at} (Brasília time).",
};
const openedForText = /*i18n*/ {
  id: "mail.linkOpened.textFor",
  message: 'The link to exams of yours that you made for "{recipient}" was opened on {at} (Brasília time).',
};
const deviceText = /*i18n*/ { id: "mail.linkOpened.device", message: "Device: {device}" };
const blockedText = /*i18n*/ {
  id: "mail.linkBlocked.text",
  message: "Somebody entered ten wrong passcodes, so a link to exams of yours was ended.",
};
const blockedForText = /*i18n*/ {
  id: "mail.linkBlocked.textFor",
  message: 'Somebody entered ten wrong passcodes, so the link that you made for "{recipient}" was ended.',
};
const againText = /*i18n*/ {
  id: "mail.linkBlocked.again",
  message:
    "Nobody saw anything with those passcodes. Make another link if you still want to share the exams.",
};
const openText = /*i18n*/ { id: "mail.link.button", message: "See your links" };
const endText = /*i18n*/ {
  id: "mail.link.end",
  message: "You see each opening and can end a link at any time, in the exam's share dialog.",
};
