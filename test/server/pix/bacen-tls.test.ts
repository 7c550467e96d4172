import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chmod, copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../../src/server/config.ts";
import { type BacenPixOptions, createBacenPix } from "../../../src/server/pix/bacen/bacen-pix.ts";
import { createAuthority } from "../../support/psp/certificates.ts";
import { openPixAtPsp, type PixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";
import type { PspOptions } from "../../support/psp/psp.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const DAY_MS = 86_400_000;
const stranger = createAuthority("Outra autoridade");

describe("mutual TLS with the PSP", () => {
  const WRONG: [string, PspOptions["serverCertificate"]][] = [
    ["signed by somebody else", () => stranger.certify("psp")],
    ["of another host", (authority) => authority.certify("psp", { host: "psp.example.com" })],
    ["that has ended", (authority) => authority.certify("psp", { until: new Date(Date.now() - DAY_MS) })],
  ];
  test.each(WRONG)(
    "a server whose certificate is one %s receives nothing from us",
    async (_, serverCertificate) => {
      await using at = await openPixAtPsp({ serverCertificate });
      const error = await pixErrorOf(at.pix.readCob(at.pix.newTxid()));
      expect(error.kind).toBe("unavailable");
      expect(error.code).toMatch(/CERT|SIGNATURE|ALTNAME/);
      expect(at.psp.received).toEqual([]);
      expect(at.pace.slept).toEqual([]);
    },
  );

  test("a stranger's server receives nothing, even if the environment disables certificate checks", async () => {
    await using at = await openPixAtPsp({ serverCertificate: () => stranger.certify("psp") });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect((await pixErrorOf(at.pix.readCob(at.pix.newTxid()))).kind).toBe("unavailable");
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(at.psp.received).toEqual([]);
  });

  test("the PSP accepts only our certificate, also while we have a connection open", async () => {
    await using at = await openPixAtPsp();
    await at.pix.createCob(at.order());
    const { apiUrl } = at.psp.config;
    const ca = at.psp.authority.cert;
    const other = stranger.certify("exameteca");
    const seen = at.psp.received.length;
    await expect(fetch(`${apiUrl}/cob/x`, { tls: { ca } })).rejects.toThrow();
    await expect(fetch(`${apiUrl}/cob/x`, { tls: { ca, ...other } })).rejects.toThrow();
    expect(at.psp.received.length).toBe(seen);
  });

  test("a certificate that the PSP doesn't know makes Pix unavailable", async () => {
    await using folder = createTempFolder();
    const { cert, key } = stranger.certify("exameteca");
    const [certFile, certKeyFile] = [join(folder.path, "cert"), join(folder.path, "key")];
    await Promise.all([writeFile(certFile, cert), writeFile(certKeyFile, key)]);
    await using at = await openPixAtPsp({ config: { certFile, certKeyFile } });
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
    expect(at.psp.received).toEqual([]);
  });
});

test("a certificate that is renewed in its files is used without a restart, once its key is there too", async () => {
  await using folder = createTempFolder();
  const before = stranger.certify("exameteca");
  const [certFile, certKeyFile] = [join(folder.path, "cert"), join(folder.path, "key")];
  await Promise.all([writeFile(certFile, before.cert), writeFile(certKeyFile, before.key)]);
  await using at = await openPixAtPsp({ config: { certFile, certKeyFile } });
  const unavailable = async () =>
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
  await unavailable();
  const until = new Date(Math.floor(Date.now() / 1000) * 1000 + 90 * DAY_MS);
  const renewed = at.psp.authority.certify("exameteca", { until });
  await writeFile(certFile, renewed.cert);
  await unavailable();
  await writeFile(certKeyFile, renewed.key);
  expect(await at.pix.createCob(at.order())).toMatchObject({ status: "ATIVA" });
  expect(await at.pix.certificateEndsAt?.()).toEqual(until);
  await rm(certFile);
  expect(await at.pix.createCob(at.order())).toMatchObject({ status: "ATIVA" });
}, 60_000);

/** An adapter at the PSP of `at` with copies of its files, which a test may replace. */
async function followCopies({ psp, pace }: PixAtPsp, folder: string, log?: BacenPixOptions["log"]) {
  const files = {
    certFile: join(folder, "cert"),
    certKeyFile: join(folder, "key"),
    caFile: join(folder, "ca"),
  };
  for (const name of ["certFile", "certKeyFile", "caFile"] as const)
    await copyFile(psp.config[name] ?? "", files[name]);
  return { ...files, pix: await createBacenPix({ ...psp.config, ...files }, psp.clock, { pace, log }) };
}

test("files that hang leave the identity as it was, and each request ends in its time", async () => {
  await using folder = createTempFolder();
  await using at = await openPixAtPsp();
  const { pix, certFile } = await followCopies(at, folder.path);
  await rm(certFile);
  expect(Bun.spawnSync(["mkfifo", certFile]).exitCode).toBe(0);
  const startedAt = performance.now();
  try {
    await Promise.all(Array.from({ length: 20 }, () => pix.createCob(at.order())));
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  } finally {
    // Whoever waits to read it is let go.
    Bun.spawnSync(["timeout", "2", "sh", "-c", `: > ${certFile}`]);
  }
}, 30_000);

test("an authority file of which only a part is written leaves the identity as it was", async () => {
  await using folder = createTempFolder();
  const lines: string[] = [];
  const log = { warn: (event: string) => void lines.push(event) };
  await using at = await openPixAtPsp();
  const { pix, caFile } = await followCopies(at, folder.path, log);
  const own = readFileSync(caFile, "utf8");
  await writeFile(caFile, stranger.cert + own.slice(0, 200));
  for (let asked = 0; asked < 3; asked++)
    expect(await pix.createCob(at.order())).toMatchObject({ status: "ATIVA" });
  expect(lines).toEqual(["pix.certificate_unusable"]);
  await writeFile(caFile, stranger.cert + own);
  expect(await pix.createCob(at.order())).toMatchObject({ status: "ATIVA" });
}, 30_000);

test("a certificate that begins later waits while the one in use is valid", async () => {
  await using folder = createTempFolder();
  await using at = await openPixAtPsp();
  const { pix, certFile, certKeyFile } = await followCopies(at, folder.path);
  const before = await pix.certificateEndsAt?.();
  const place = async ({ cert, key }: { cert: string; key: string }) =>
    await Promise.all([writeFile(certFile, cert), writeFile(certKeyFile, key)]);
  const until = new Date(Math.floor(Date.now() / 1000) * 1000 + 90 * DAY_MS);
  await place(at.psp.authority.certify("exameteca", { from: new Date(Date.now() + DAY_MS), until }));
  expect(await pix.certificateEndsAt?.()).toEqual(before);
  await place(at.psp.authority.certify("exameteca", { until }));
  expect(await pix.certificateEndsAt?.()).toEqual(until);
});

describe("the PEM files", () => {
  let folder: ReturnType<typeof createTempFolder>;
  let at: PixAtPsp;
  beforeEach(async () => {
    folder = createTempFolder();
    at = await openPixAtPsp();
  });
  afterEach(async () => {
    await at[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  async function problemsOf(changes: Partial<PixAtPsp["psp"]["config"]>): Promise<string[]> {
    const error = await createBacenPix({ ...at.psp.config, ...changes }, at.psp.clock).catch(
      (thrown) => thrown,
    );
    if (!(error instanceof ConfigError)) throw new Error("it started");
    return error.problems;
  }

  test("each that is missing is named at the start, with its variable", async () => {
    const missing = join(folder.path, "missing.pem");
    const problems = await problemsOf({ certFile: missing, certKeyFile: missing, caFile: missing });
    expect(problems).toEqual([
      `PIX_CERT: "${missing}" can't be read (ENOENT)`,
      `PIX_CERT_KEY: "${missing}" can't be read (ENOENT)`,
      `PIX_CA: "${missing}" can't be read (ENOENT)`,
    ]);
  });

  test("one that can't be read, or is a folder, is named", async () => {
    expect(await problemsOf({ certFile: folder.path })).toEqual([
      `PIX_CERT: "${folder.path}" can't be read (EISDIR)`,
    ]);
    // To root every file is readable.
    if (process.getuid?.() === 0) return;
    const secret = join(folder.path, "secret.pem");
    await writeFile(secret, "");
    await chmod(secret, 0);
    expect(await problemsOf({ certKeyFile: secret })).toEqual([
      `PIX_CERT_KEY: "${secret}" can't be read (EACCES)`,
    ]);
  });

  test("one that holds something else is named", async () => {
    const wrong = join(folder.path, "wrong.pem");
    await writeFile(wrong, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    expect(await problemsOf({ certFile: wrong, certKeyFile: wrong, caFile: wrong })).toEqual([
      `PIX_CERT: "${wrong}" is no certificate in PEM`,
      `PIX_CERT_KEY: "${wrong}" is no private key without a password in PEM`,
      `PIX_CA: "${wrong}" is no certificate in PEM`,
    ]);
  });

  test("a key of another certificate is reported", async () => {
    const other = join(folder.path, "other.pem");
    await writeFile(other, stranger.key);
    expect(await problemsOf({ certKeyFile: other })).toEqual(["PIX_CERT_KEY is not the key of PIX_CERT"]);
  });

  test("without an authority file the system's authorities are used, which don't know this PSP", async () => {
    await using bare = await openPixAtPsp({ config: { caFile: undefined } });
    const error = await pixErrorOf(bare.pix.readCob(bare.pix.newTxid()));
    expect(error.kind).toBe("unavailable");
    expect(bare.psp.received).toEqual([]);
  });
});
