import { createTransport } from "nodemailer";
import { type Mail, type Mailer, MailFailed } from "./mailer.ts";

const CONNECT_MS = 20_000;
/**
 * A server may look through a message, or copy it to another, before it answers. One that is not waited for has it, and gets it again
 * (RFC 5321 §4.5.3.2.6).
 */
const ANSWER_MS = 10 * 60_000;
/** The other side of a connection may be gone unnoticed. The next mail, which may be somebody's code, would wait on it for its answer. */
const IDLE_MS = 20_000;

/** Sends through the SMTP server of an `smtp:` or `smtps:` URL, as `from`. */
export function createSmtpMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    idleTimeout: IDLE_MS,
  } as Parameters<typeof createTransport>[0]);
  return {
    async send(mail) {
      try {
        await transport.sendMail(compose(mail, options.from));
      } catch (cause) {
        throw new MailFailed("the SMTP server did not take the message", { cause });
      }
    },
    close: () => transport.close(),
  };
}

/** A message for nodemailer, which must never read a part of it from a file or fetch it. */
export function compose(mail: Mail, from: string) {
  return {
    from,
    to: { name: "", address: mail.to },
    replyTo: mail.replyTo,
    messageId: mail.id && `<${mail.id}@${/@([^\s>]+)/.exec(from)?.[1] ?? "localhost"}>`,
    // Keeps holiday notices from answering (RFC 3834 §5); a message to support is a person's, who is to be answered.
    headers: mail.replyTo ? {} : { "Auto-Submitted": "auto-generated" },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments?.map(({ fileName, contentType, base64 }) => ({
      filename: fileName,
      contentType,
      content: base64,
      encoding: "base64" as const,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
