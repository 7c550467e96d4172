import { HOUR_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { composeMail, type MailContent } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { byProgram } from "../../mail/mail-budget.ts";
import { findOperator } from "../accounts/users/find-operator.ts";
import { countDamagedSince } from "./integrity.repo.ts";

/** A failing disk damages many studies: the list of studies shows them all, but mails stop at this number. */
const MAX_MAILS_AN_HOUR = 10;

/** Mails the admin about a study, or a laboratory PDF (`studyId` null), that is no longer shown. */
export async function mailDamage(
  deps: Pick<Deps, "config" | "db" | "jobs" | "mailSeal" | "clock">,
  { studyId, found }: { studyId: string | null; found: "damaged" | "missing" },
): Promise<void> {
  const { config, db, clock } = deps;
  const anHourAgo = new Date(clock.now().getTime() - HOUR_MS);
  const recent = await countDamagedSince(db, anHourAgo, MAX_MAILS_AN_HOUR + 1);
  if (recent > MAX_MAILS_AN_HOUR) return;
  const operator = await findOperator(deps);
  if (!operator) return;
  const content = damageMail({ studyId, found, publicUrl: config.publicUrl });
  const mail = composeMail(content, { ...operator, productName: config.productName });
  await db.transaction((tx) => enqueueMail(deps, tx, mail, byProgram));
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
    values: { studyId: studyId ?? "" },
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
  message: "The list marks the exam. Sending the same files again repairs it.",
};
const labText = /*i18n*/ {
  id: "mail.damage.lab",
  message: "It is a laboratory PDF: bring it back from a backup, or have it sent again.",
};
const numberText = /*i18n*/ { id: "mail.damage.study", message: "Number of the exam: {studyId}" };
