import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { Logger } from "../runtime/log.ts";
import { sync } from "../storage/disk/durable-file.ts";
import type { Mailer } from "./mailer.ts";
import { sweepOutbox } from "./outbox.ts";
import { compose } from "./smtp-mailer.ts";

const SWEEP_EVERY = 100;

/** Writes each message to `folder` as a complete `.eml` file, and logs its subject without text that people typed. */
export function createOutboxMailer(options: { folder: string; from: string; log: Logger }): Mailer {
  const { folder, from, log } = options;
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  let written = 0;
  return {
    async send(mail) {
      const { message } = await transport.sendMail(compose(mail, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = Bun.randomUUIDv7();
      const draft = join(folder, `${name}.tmp`);
      try {
        {
          await using file = await open(draft, "wx", 0o600);
          await file.writeFile(message as Buffer);
          await file.sync();
        }
        await rename(draft, join(folder, `${name}.eml`));
        await sync(folder);
      } finally {
        // On a full disk each further try would leave one.
        await rm(draft, { force: true });
      }
      log.info("mail.written", { subject: mail.loggedSubject });
      // This keeps the folder close to its bounds between the hourly sweeps too, which know the age by the database's time.
      if (++written % SWEEP_EVERY === 0) await sweepOutbox(folder, new Date(0));
    },
    close: () => transport.close(),
  };
}
