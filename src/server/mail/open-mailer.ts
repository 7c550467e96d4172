import type { Config } from "../config.ts";
import type { Logger } from "../runtime/log.ts";
import type { Mailer } from "./mailer.ts";
import { outboxFolder } from "./outbox.ts";
import { createOutboxMailer } from "./outbox-mailer.ts";
import { createSmtpMailer } from "./smtp-mailer.ts";

/** The SMTP server, or else the outbox. */
export function openMailer(config: Config, log: Logger): Mailer {
  const from = config.mailFrom ?? config.adminEmail ?? `${config.productName} <no-reply@localhost>`;
  if (config.smtpUrl) return createSmtpMailer({ url: config.smtpUrl, from });
  return createOutboxMailer({ folder: outboxFolder(config), from, log });
}
