import { imageTypeOf, maxSupportImageBytes, type SupportMessage } from "../../../shared/api/support.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { DbOrTx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { tooManyRequests, validationFailed } from "../../http/http.errors.ts";
import { networkOf } from "../../http/network-of.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { violationsOf } from "../../http/validate.ts";
import { composeMail } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { byVisitor } from "../../mail/mail-budget.ts";
import type { Mail } from "../../mail/mailer.ts";
import { standingOf } from "../accounts/sign-in/known-places.ts";
import {
  type Attempt,
  assertAttemptLeft,
  beginAttempt,
  type ThrottleRule,
} from "../accounts/sign-in/throttle.ts";
import type { Visitor } from "../accounts/sign-in/visitor.ts";
import { findOperatorEmail } from "../accounts/users/find-operator.ts";
import { findUserByEmail } from "../accounts/users/users.repo.ts";
import { findSession } from "../membership/find-session.ts";
import { supportKeyUsed } from "./support.errors.ts";
import { findSupportMessageSentAs, insertSupportMessage } from "./support.repo.ts";

const MESSAGES_AN_HOUR = 10;

type SentMessage = SupportMessage & {
  image: Uint8Array | undefined;
  locale: Locale;
  token: string | undefined;
  idempotencyKey: string | undefined;
};

/**
 * Stores a message of the support form and mails it to the operator. The form needs no authorisation, so it is rate-limited
 * by network, and the address in it is never mailed: it is only used as the reply address. One that the address sent before under
 * the same key is neither stored nor mailed again, and counts no more.
 * @throws {AppError} 400 with `support.*` violations, 429; `support.key_used` for another message under the key
 */
export async function sendSupportMessage(
  deps: Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal" | "tokens">,
  input: SentMessage,
  visitor: Visitor,
): Promise<void> {
  const { db, clock, config } = deps;
  const now = clock.now();
  // A message that is sent back for its image is none yet, and counts for nothing.
  const image = input.image && checkedImage(input.image, input.locale);
  const attempt = await beginMessage(deps, input, visitor);
  if (await isSentBefore(db, input)) return await attempt.succeed();
  const { subject, message, userEmail, userName } = input;
  const accountId = await findSender(deps, input, visitor);
  const to = await findOperatorEmail(deps, db);
  await db.transaction(async (tx) => {
    const id = Bun.randomUUIDv7();
    const isNew = await insertSupportMessage(tx, {
      id,
      userName,
      userEmail,
      subject,
      message,
      image: image?.bytes ?? null,
      imageType: image?.type ?? null,
      createdAt: now,
      accountId,
      idempotencyKey: input.idempotencyKey ?? null,
    });
    // The same was sent twice at once.
    if (!isNew && (await isSentBefore(tx, input))) return;
    if (!to) return;
    const mail = supportMail(input, image, { to, productName: config.productName });
    const share = { name: `support ${visitor.network}`, limit: MESSAGES_AN_HOUR };
    await enqueueMail(deps, tx, mail, byVisitor([share], now));
  });
}

/**
 * Counts a message before anything is said of its key, so that tries of a key count, too. Whoever has sent all that they may is answered
 * once more for one of these, and learns nothing of any other.
 * @throws {AppError} 429
 */
async function beginMessage(
  { db, clock }: Pick<Deps, "db" | "clock">,
  input: SentMessage,
  visitor: Visitor,
): Promise<Attempt> {
  const now = clock.now();
  try {
    return await beginAttempt(db, [messageLimit(visitor)], now);
  } catch (error) {
    if (!isExhausted(error) || input.idempotencyKey === undefined) throw error;
    const attempt = await beginAttempt(db, [againLimit(visitor)], now);
    if ((await sentBefore(db, input)) !== "same") throw error;
    return attempt;
  }
}

/** @throws {AppError} `support.key_used` if the address sent another message under the key */
async function isSentBefore(db: DbOrTx, sent: SentMessage): Promise<boolean> {
  const before = await sentBefore(db, sent);
  if (before === "another") throw new AppError(supportKeyUsed);
  return before === "same";
}

/** What the address sent before under the key. */
async function sentBefore(db: DbOrTx, sent: SentMessage): Promise<"same" | "another" | undefined> {
  const { userEmail, userName, subject, message, idempotencyKey } = sent;
  const before =
    idempotencyKey === undefined ? undefined : await findSupportMessageSentAs(db, userEmail, idempotencyKey);
  if (!before) return undefined;
  const image = Buffer.from(sent.image ?? []);
  const isSame =
    before.userName === userName &&
    before.subject === subject &&
    before.message === message &&
    image.equals(before.image ?? Buffer.alloc(0));
  return isSame ? "same" : "another";
}

const messageLimit = (origin: RequestOrigin) => limitOf("support:address", origin);
/** Tries of a key by whoever has sent all that they may. */
const againLimit = (origin: RequestOrigin) => limitOf("support:again", origin);

function limitOf(name: string, { address }: RequestOrigin): ThrottleRule {
  return { name, subject: networkOf(address), limit: MESSAGES_AN_HOUR, windowSeconds: 3600 };
}

function isExhausted(error: unknown): boolean {
  return error instanceof AppError && error.kind === tooManyRequests;
}

/**
 * Checks the rate limit before a body is received. It counts nothing, so that a slow upload does not block other senders.
 * @param isKeyed whether it may be one that was sent before
 * @throws {AppError} 429
 */
export async function assertMaySend(
  { db, clock }: Pick<Deps, "db" | "clock">,
  origin: RequestOrigin,
  isKeyed: boolean,
): Promise<void> {
  const now = clock.now();
  try {
    await assertAttemptLeft(db, messageLimit(origin), now);
  } catch (error) {
    if (!isExhausted(error) || !isKeyed) throw error;
    await assertAttemptLeft(db, againLimit(origin), now);
  }
}

/**
 * The account that sends a message, if that is certain: the request carries its session, or the form names its address and
 * the account has signed in with this browser. The network is enough if the account has also proven to read that mailbox:
 * otherwise a neighbour may have registered the address of a person without an account.
 */
async function findSender(
  deps: Pick<Deps, "db" | "clock" | "tokens">,
  { userEmail, token }: { userEmail: string; token: string | undefined },
  visitor: Visitor,
): Promise<string | undefined> {
  const session = token === undefined ? undefined : await findSession(deps, token);
  if (session) return session.userId;
  const standing = await standingOf(deps.db, userEmail, visitor);
  if (standing === "stranger") return undefined;
  const user = await findUserByEmail(deps.db, userEmail);
  return standing === "browser" || user?.emailProvenAt ? user?.id : undefined;
}

interface Image {
  bytes: Uint8Array;
  type: string;
}

function checkedImage(bytes: Uint8Array, locale: Locale): Image {
  const type = imageTypeOf(bytes);
  const wrong =
    bytes.length > maxSupportImageBytes
      ? "support.imageTooLarge"
      : type === undefined
        ? "support.invalidImageFormat"
        : undefined;
  if (type !== undefined && !wrong) return { bytes, type };
  const issues = [{ path: ["image"], message: wrong ?? "support.invalidImageFormat" }];
  throw new AppError(validationFailed, { violations: violationsOf({ issues }, locale) });
}

function supportMail(
  { subject, message, userEmail, userName, locale }: SupportMessage & { locale: Locale },
  image: Image | undefined,
  { to, productName }: { to: string; productName: string },
): Mail {
  const mail = composeMail(
    {
      subject: /*i18n*/ { id: "mail.support.subject", message: "Support: {subject}" },
      paragraphs: [
        /*i18n*/ { id: "mail.support.from", message: "From {userName} ({userEmail}):" },
        /*i18n*/ { id: "mail.support.message", message: "{message}" },
      ],
      values: { subject, message, userName, userEmail },
    },
    { to, locale, productName },
  );
  const extension = image?.type.split("/")[1];
  return {
    ...mail,
    replyTo: userEmail,
    ...(image && {
      attachments: [
        {
          fileName: `image.${extension}`,
          contentType: image.type,
          base64: Buffer.from(image.bytes).toString("base64"),
        },
      ],
    }),
  };
}
