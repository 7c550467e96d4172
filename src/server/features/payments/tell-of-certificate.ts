import type { Locale } from "../../../shared/locale.ts";
import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { dateInBrazil } from "../../mail/mail-values.ts";
import { beginAttempt, wasAttempted } from "../accounts/sign-in/throttle.ts";
import { findOperatorEmail } from "../accounts/users/find-operator.ts";
import { mailOperator } from "../accounts/users/mail-operator.ts";

const AHEAD_DAYS = 30;
const EVERY_SECONDS = 7 * 86_400;

/**
 * Mails the admin once a week from 30 days before the certificate ends by which the PSP knows us, and after it until another one is used.
 * The log says it each time.
 */
export async function tellOfCertificate(
  deps: Pick<Deps, "config" | "db" | "jobs" | "mailSeal" | "clock" | "log" | "pix">,
): Promise<void> {
  const { config, clock, db, log, pix } = deps;
  const endsAt = await pix?.certificateEndsAt?.();
  const now = clock.now();
  if (!endsAt || endsAt.getTime() - now.getTime() > AHEAD_DAYS * DAY_MS) return;
  log.warn("pix.certificate_ends", { endsAt: endsAt.toISOString() });
  if ((await findOperatorEmail(deps, db)) === undefined) return;
  const told = { name: "pix:certificate", subject: endsAt.toISOString(), windowSeconds: EVERY_SECONDS };
  if (await wasAttempted(db, told, now)) return;
  const hasEnded = endsAt <= now;
  await db.transaction(async (tx) => {
    await beginAttempt(tx, [{ ...told, limit: 1 }], now);
    await mailOperator(deps, tx, (locale) =>
      certificateMail({ endsAt, hasEnded, publicUrl: config.publicUrl }, locale),
    );
  });
}

function certificateMail(
  { endsAt, hasEnded, publicUrl }: { endsAt: Date; hasEnded: boolean; publicUrl: string },
  locale: Locale,
): MailContent {
  return {
    subject: hasEnded ? endedSubject : endsSubject,
    paragraphs: [
      hasEnded ? endedText : endsText,
      /*i18n*/ {
        id: "mail.pixCertificate.remedy",
        message:
          "Get a new one from the provider, and put it into the files of PIX_CERT and PIX_CERT_KEY, on each node. It is used at once, without a restart. What was paid meanwhile is found then, up to 30 days back.",
      },
    ],
    highlight: {
      url: `${publicUrl}/his`,
      label: /*i18n*/ { id: "mail.pixCertificate.button", message: "Open the panel" },
    },
    values: { date: dateInBrazil(endsAt, locale) },
  };
}

const endsSubject = /*i18n*/ {
  id: "mail.pixCertificate.endsSubject",
  message: "The certificate for Pix ends on {date}",
};
const endedSubject = /*i18n*/ {
  id: "mail.pixCertificate.endedSubject",
  message: "The certificate for Pix ended on {date}",
};
const endsText = /*i18n*/ {
  id: "mail.pixCertificate.ends",
  message:
    "Your payment provider knows this server by the certificate of PIX_CERT, which ends on {date}. From then on no plan can be paid, and no payment is noticed.",
};
const endedText = /*i18n*/ {
  id: "mail.pixCertificate.ended",
  message:
    "Your payment provider knows this server by the certificate of PIX_CERT, which ended on {date}. No plan can be paid, and no payment is noticed.",
};
