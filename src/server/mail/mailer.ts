/** One message to one person. `text` is the whole message; `html` says the same. */
export interface Mail {
  /** Names the message in its `Message-ID`. It is the same at each attempt, so that a mailbox can drop one that comes twice. */
  id?: string;
  to: string;
  /** Where replies go, if not to the sender. */
  replyTo?: string;
  subject: string;
  /** The subject without text that people typed, for the log. */
  loggedSubject?: string;
  text: string;
  html: string;
  attachments?: { fileName: string; contentType: string; base64: string }[];
}

/** Sends mails. Two adapters: `smtp`, and `outbox`, which writes files if no SMTP_URL is set. */
export interface Mailer {
  /**
   * Resolves when the message was handed over. May send it twice if the first answer was lost.
   * @throws {MailFailed}
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export class MailFailed extends Error {
  override name = "MailFailed";
}
