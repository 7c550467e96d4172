import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { composeMail, type MailContent } from "../../mail/compose-mail.ts";
import { mailWithinBudget } from "../../mail/mail.jobs.ts";
import { byVisitor } from "../../mail/mail-budget.ts";
import type { UserRow } from "../accounts/users/users.table.ts";

type MailDeps = Pick<Deps, "config" | "jobs" | "mailSeal" | "clock">;

/** An account may have many links, but gets no more mails an hour about them than this. */
const MAILS_AN_HOUR = 20;

/** Tells the owner that somebody opened a link. */
export async function mailAboutOpening(
  deps: MailDeps,
  tx: Tx,
  owner: UserRow,
  opening: { recipient: string | null; device: string | undefined; at: Date },
): Promise<void> {
  const { recipient, device, at } = opening;
  await mailAboutLink(deps, tx, owner, {
    subject: /*i18n*/ { id: "mail.linkOpened.subject", message: "Somebody opened your link" },
    paragraphs: [
      recipient === null ? openedText : openedForText,
      ...(device === undefined ? [] : [deviceText]),
    ],
    values: { recipient: recipient ?? "", device: device ?? "", at: momentText(owner, at) },
  });
}

/** Tells the owner that wrong passcodes ended a link. */
export async function mailAboutPasscodes(
  deps: MailDeps,
  tx: Tx,
  owner: UserRow,
  recipient: string | null,
): Promise<void> {
  await mailAboutLink(deps, tx, owner, {
    subject: /*i18n*/ { id: "mail.linkBlocked.subject", message: "Wrong passcodes ended your link" },
    paragraphs: [recipient === null ? blockedText : blockedForText, againText],
    values: { recipient: recipient ?? "" },
  });
}

async function mailAboutLink(
  deps: MailDeps,
  tx: Tx,
  { id, email, locale }: UserRow,
  content: Pick<MailContent, "subject" | "paragraphs" | "values">,
): Promise<void> {
  const { productName, publicUrl } = deps.config;
  const highlight = { url: `${publicUrl}/his`, label: openText };
  const mail = composeMail(
    { ...content, highlight, footnotes: [endText] },
    { to: email, locale, productName },
  );
  const budget = { name: `links of ${id}`, limit: MAILS_AN_HOUR };
  await mailWithinBudget(deps, tx, mail, byVisitor([budget], deps.clock.now()));
}

/** The server does not know where the owner is, so the mail names the time zone. */
function momentText({ locale }: UserRow, at: Date): string {
  const format = { dateStyle: "short", timeStyle: "short", timeZone: "America/Sao_Paulo" } as const;
  return new Intl.DateTimeFormat(locale, format).format(at);
}

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
