import type { Deps } from "../../deps.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { byDamage, OF_DAMAGE } from "../../mail/mail-budget.ts";
import { mailOperator } from "../accounts/users/mail-operator.ts";

/**
 * Mails the admin about a study, or a laboratory PDF (`studyId` null), that is no longer shown. A failing disk damages many:
 * their view of integrity shows them all, but mails stop at a number an hour.
 */
export async function mailDamage(
  deps: Pick<Deps, "config" | "db" | "jobs" | "mailSeal" | "clock">,
  { studyId, found }: { studyId: string | null; found: "damaged" | "missing" },
): Promise<void> {
  const { config, db, clock } = deps;
  const content = damageMail({ studyId, found, publicUrl: config.publicUrl });
  await db.transaction((tx) => mailOperator(deps, tx, () => content, byDamage(clock.now())));
}

function damageMail(damage: {
  studyId: string | null;
  found: "damaged" | "missing";
  publicUrl: string;
}): MailContent {
  const { studyId, found, publicUrl } = damage;
  return {
    subject: /*i18n*/ { id: "mail.damage.subject", message: "A stored exam is damaged" },
    paragraphs: [
      found === "missing" ? goneText : changedText,
      studyId ? repairText : labText,
      ...(studyId ? [numberText] : []),
    ],
    highlight: {
      url: `${publicUrl}/his`,
      label: /*i18n*/ { id: "mail.damage.button", message: "Open the list of exams" },
    },
    footnotes: [limitText],
    values: { studyId: studyId ?? "", limit: OF_DAMAGE },
  };
}

const changedText = /*i18n*/ {
  id: "mail.damage.changed",
  message:
    "Bytes of a stored exam are no longer what was received. Nothing of what changed is shown to anybody. Look at the disk or the store: it may be failing.",
};
const goneText = /*i18n*/ {
  id: "mail.damage.missing",
  message: "The stored bytes of an exam are gone. Look at the disk or the store: it may be failing.",
};
const repairText = /*i18n*/ {
  id: "mail.damage.repair",
  message:
    "The list marks the exam. Sending the same files again repairs its images; a report has to be deleted and attached again.",
};
const labText = /*i18n*/ {
  id: "mail.damage.lab",
  message: "It is a laboratory PDF: bring it back from a backup, or have it sent again.",
};
const numberText = /*i18n*/ { id: "mail.damage.study", message: "Number of the exam: {studyId}" };
const limitText = /*i18n*/ {
  id: "mail.damage.limit",
  message:
    "More may be damaged: at most {limit} mails an hour tell of it. The page Integrity shows all of it.",
};
