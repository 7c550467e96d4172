import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forgetInOutbox, hashAddress, sweepOutbox } from "../../../src/server/mail/outbox.ts";
import { createOutboxMailer } from "../../../src/server/mail/outbox-mailer.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { linkIn, readOutbox } from "../../support/mail/outbox.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const DAY = 24 * 3600_000;
const limits = { days: 30, files: 100, bytes: 1 << 30 };

describe("the outbox", () => {
  let folder: ReturnType<typeof createTempFolder>;
  beforeEach(() => {
    folder = createTempFolder();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const log = createLogger({ level: "error", write: () => {} });
  const names = async () => (await readdir(folder.path)).sort();

  async function mail(to: string, replyTo?: string): Promise<void> {
    const mailer = createOutboxMailer({
      folder: folder.path,
      from: "Exameteca <nao-responda@example.com>",
      log,
    });
    await mailer.send({
      to,
      replyTo,
      subject: "Olá",
      text: `To: outra@example.com\n${"x".repeat(50)}`,
      html: "<p>Olá</p>",
    });
    mailer.close();
  }

  async function age(name: string, days: number): Promise<void> {
    const at = new Date(Date.now() - days * DAY);
    await utimes(join(folder.path, name), at, at);
  }

  test("has nothing of a mail that the disk has no room for", async () => {
    const module = join(import.meta.dir, "../../../src/server/mail/outbox-mailer.ts");
    const script = `const { createOutboxMailer } = await import(${JSON.stringify(module)});
      const log = { info() {} };
      const mailer = createOutboxMailer({ folder: ${JSON.stringify(folder.path)}, from: "nos@example.com", log });
      const mail = { to: "um@example.com", subject: "Olá", text: "x".repeat(100_000), html: "<p>Olá</p>" };
      await mailer.send(mail).then(() => process.exit(1), ({ code }) => console.log(code));`;
    // A file that may hold no more bytes stands for a full disk: write(2) fails half-way.
    const limited = 'trap "" XFSZ; ulimit -f 16; exec "$0" -e "$1"';
    const { stdout, exitCode } = Bun.spawnSync(["/bin/sh", "-c", limited, process.execPath, script]);
    expect([exitCode, stdout.toString().trim()]).toEqual([0, "EFBIG"]);
    expect(await names()).toEqual([]);
  });

  test("deletes mails and drafts of a crash after 30 days, and touches no other file", async () => {
    await mail("um@example.com");
    await mail("dois@example.com");
    const [old = "", young = ""] = await names();
    await writeFile(join(folder.path, `${Bun.randomUUIDv7()}.tmp`), "half");
    await writeFile(join(folder.path, "leia-me.txt"), "mine");
    for (const name of await names()) if (name !== young) await age(name, 31);
    await age(young, 29);
    await sweepOutbox(folder.path, new Date(), limits);
    expect(await names()).toEqual([young, "leia-me.txt"].sort());
    expect(old).not.toBe(young);
  });

  test("keeps the newest mails within its limits of count and size", async () => {
    for (let day = 5; day > 0; day--) {
      const known = new Set(await names());
      await mail(`dia${day}@example.com`);
      for (const name of await names()) if (!known.has(name)) await age(name, day);
    }
    const all = await names();
    await sweepOutbox(folder.path, new Date(), { ...limits, files: 3 });
    expect(await names()).toEqual(all.slice(2));
    const newest = await stat(join(folder.path, all[4] ?? ""));
    await sweepOutbox(folder.path, new Date(), { ...limits, bytes: newest.size + 10 });
    expect(await names()).toEqual(all.slice(4));
  });

  test("deletes the mails to and from an address, however it is written, and no others", async () => {
    await mail("Zé.Ção@EXAMPLE.com");
    await mail("operador@example.com", "zé.ção@example.com");
    await mail("outra@example.com");
    await mail("zé.ção@example.com.br");
    await mail("a@exemplo-ação.com.br");
    const long = `${"nome.muito.comprido.".repeat(3)}x@subdominio.de.um.hospital.muito.comprido.example.com`;
    await mail(long);
    await forgetInOutbox(folder.path, hashAddress("zé.ção@example.com"), new Date(0));
    expect(await names()).toHaveLength(4);
    await forgetInOutbox(folder.path, hashAddress("A@Exemplo-Ação.com.br"), new Date(0));
    expect(await names()).toHaveLength(3);
    await forgetInOutbox(folder.path, hashAddress(long), new Date(0));
    expect(await names()).toHaveLength(2);
  });

  test("keeps mails from before a given time", async () => {
    await mail("antes@example.com");
    const [name = ""] = await names();
    const then = new Date("2026-01-01T12:00:00Z");
    await utimes(join(folder.path, name), then, then);
    await mail("antes@example.com");
    await forgetInOutbox(folder.path, hashAddress("antes@example.com"), new Date("2026-01-02T12:00:00Z"));
    expect(await names()).toEqual([name]);
  });

  test("writes a link that is read again, wherever its line is folded and whatever then begins it", async () => {
    const mailer = createOutboxMailer({
      folder: join(folder.path, "outbox"),
      from: "Exameteca <a@example.com>",
      log,
    });
    const links = Array.from(
      { length: 60 },
      (_, at) => `http://localhost/${"A".repeat(at)}--${"B".repeat(60)}`,
    );
    for (const link of links)
      await mailer.send({
        ...{ to: "um@example.com", subject: "Olá", html: "<p>Olá</p>" },
        text: `Olá, você:\n\n${link}\n`,
      });
    mailer.close();
    expect((await readOutbox(folder.path)).map((read) => linkIn(read).href)).toEqual(links);
  });

  test("may be missing without an error", async () => {
    await sweepOutbox(join(folder.path, "none"), new Date(), limits);
    await forgetInOutbox(join(folder.path, "none"), hashAddress("a@example.com"), new Date(0));
  });
});
