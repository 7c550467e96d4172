import { expect, test } from "bun:test";
import { join } from "node:path";

const PASSWORDS = join(import.meta.dir, "../../../src/server/features/accounts/passwords/passwords.ts");

test("a password is kept as argon2id with 19 MiB and two passes, and only the right one opens it", async () => {
  // In a process of its own: tests hash with less.
  const script = `
    const { hashPassword, verifyPassword } = await import(${JSON.stringify(PASSWORDS)});
    const hash = await hashPassword("segredo");
    const answers = await Promise.all([
      verifyPassword("segredo", hash), verifyPassword("Segredo", hash), verifyPassword("segredo", null),
    ]);
    console.log(JSON.stringify({ hash, answers }));`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script], { stderr: "inherit" });
  const { hash, answers } = JSON.parse(stdout.toString());
  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(answers).toEqual([true, false, false]);
});
