import type { Deps } from "../../deps.ts";
import type { ReceivedPix } from "../../pix/pix.ts";
import { mailOperator } from "../accounts/users/mail-operator.ts";
import { repeatedPixMail } from "./payment-mails.ts";
import { findPixOfOthers, markRepeated } from "./payments.repo.ts";
import type { PaymentRow } from "./payments.table.ts";

/**
 * The Pix among those that the PSP lists for a charge that paid no other charge. One Pix pays one charge: a PSP that lists it at two
 * is wrong about one of them, and its money, and the return of it, count where it was seen first. The operator is told once an open
 * payment, which stays open: the PSP may come to list what paid it.
 */
export async function setRepeatedApart(
  deps: Pick<Deps, "db" | "jobs" | "mailSeal" | "config" | "log">,
  payment: PaymentRow,
  pix: ReceivedPix[],
): Promise<ReceivedPix[]> {
  const ids = pix.map(({ endToEndId }) => endToEndId);
  const others = await findPixOfOthers(deps.db, payment.id, ids);
  const [other] = others;
  if (!other) return pix;
  await deps.db.transaction(async (tx) => {
    if (!(await markRepeated(tx, payment.id))) return;
    deps.log.error("pix.repeated", { paymentId: payment.id, otherPaymentId: other.id });
    const { publicUrl } = deps.config;
    await mailOperator(deps, tx, (locale) => repeatedPixMail({ payment, other, locale, publicUrl }));
  });
  const known = new Set(others.map(({ endToEndId }) => endToEndId));
  return pix.filter(({ endToEndId }) => !known.has(endToEndId));
}
