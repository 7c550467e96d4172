import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { parseMail, type ReadMail } from "./outbox.ts";

const WAIT_MS = 60_000;

export interface TestSmtpServer extends AsyncDisposable {
  /** For `SMTP_URL`. */
  url: string;
  /** The next mail to an address that was not asked for yet, oldest first; waits until it is there. */
  nextMail(to: string): Promise<ReadMail>;
}

/** A real SMTP server on loopback that takes every message and keeps it, and answers so only after `answersAfterMs`. */
export async function startSmtpServer({ answersAfterMs = 0 } = {}): Promise<TestSmtpServer> {
  const kept: ReadMail[] = [];
  const arrivals = new EventTarget();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        kept.push(parseMail(Buffer.concat(chunks).toString("utf8")));
        arrivals.dispatchEvent(new Event("mail"));
        setTimeout(done, answersAfterMs);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.server.address() as AddressInfo;

  const take = (to: string) => {
    const index = kept.findIndex((mail) => mail.to.includes(to));
    return index < 0 ? undefined : kept.splice(index, 1)[0];
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
    async nextMail(to) {
      const deadline = AbortSignal.timeout(WAIT_MS);
      for (;;) {
        const mail = take(to);
        if (mail) return mail;
        await nextArrival(arrivals, deadline, to);
      }
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function nextArrival(arrivals: EventTarget, deadline: AbortSignal, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no mail to ${to} came`));
    deadline.addEventListener("abort", late, { once: true });
    const arrived = () => {
      deadline.removeEventListener("abort", late);
      resolve();
    };
    arrivals.addEventListener("mail", arrived, { once: true });
  });
}
