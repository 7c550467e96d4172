import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type BacenPixConfig, ConfigError } from "../../config.ts";
import { describeError, type LogFields, type Logger } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";

export interface TlsIdentity {
  /** Our certificate, and the authorities that we trust for the PSP. All PEM. */
  tls: {
    cert: string;
    key: string;
    /** Undefined means the system's authorities. */
    ca: string | undefined;
    rejectUnauthorized: true;
  };
  /** Between which times our certificate is valid. */
  validFrom: Date;
  validTo: Date;
}

/** Why a PSP may refuse us, for the log: our certificate is outside its time. */
export function outOfTime(
  { validFrom, validTo }: Pick<TlsIdentity, "validFrom" | "validTo">,
  now: Date,
): string | undefined {
  if (now > validTo) return `PIX_CERT ended at ${validTo.toISOString()}`;
  if (now < validFrom) return `PIX_CERT begins at ${validFrom.toISOString()}`;
  return undefined;
}

/** Reads the PEM files for mutual TLS. @throws {ConfigError} with one sentence for each variable that can't be used */
async function readTlsIdentity(
  config: Pick<BacenPixConfig, "certFile" | "certKeyFile" | "caFile">,
): Promise<TlsIdentity> {
  const problems: string[] = [];

  async function read(name: string, path: string, check: (pem: string) => unknown): Promise<string> {
    const pem = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      problems.push(`${name}: "${path}" can't be read (${error.code})`);
    });
    if (pem === undefined) return "";
    try {
      check(pem);
    } catch {
      problems.push(
        `${name}: "${path}" is no ${name === "PIX_CERT_KEY" ? "private key without a password" : "certificate"} in PEM`,
      );
    }
    return pem;
  }

  const isCertificate = (pem: string) => {
    // Of several only the first one is parsed, and a file that is being written may hold a part of another.
    const [begun, whole] = [pem.match(/-----BEGIN /g), pem.match(/-----END [A-Z0-9 ]+-----/g)];
    if (begun?.length !== whole?.length) throw new TypeError("a certificate without its end");
    return new X509Certificate(pem);
  };
  const { certFile, certKeyFile, caFile } = config;
  const cert = await read("PIX_CERT", certFile, isCertificate);
  const key = await read("PIX_CERT_KEY", certKeyFile, (pem) => createPrivateKey(pem));
  const ca = caFile === undefined ? undefined : await read("PIX_CA", caFile, isCertificate);
  if (problems.length === 0 && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    problems.push("PIX_CERT_KEY is not the key of PIX_CERT");
  if (problems.length > 0) throw new ConfigError(problems);
  const { validFrom, validTo } = new X509Certificate(cert);
  return {
    tls: { cert, key, ca, rejectUnauthorized: true },
    validFrom: new Date(validFrom),
    validTo: new Date(validTo),
  };
}

/** The identity in the PEM files now, so that renewed ones are used without a restart. Never fails. */
export type CurrentIdentity = () => Promise<TlsIdentity>;

/** A request waits no longer for a disk that hangs. */
const PATIENCE_MS = 1_000;

/**
 * Reads the PEM files, and again at each call of what it returns. Files that can't be used, such as while one after the other is replaced,
 * leave the identity as it was, and so does a certificate outside its time; `log` hears of it once.
 * @throws {ConfigError} as {@link readTlsIdentity}, at first
 */
export async function followTlsIdentity(
  config: Parameters<typeof readTlsIdentity>[0],
  log?: Pick<Logger, "warn">,
): Promise<CurrentIdentity> {
  let known = await readTlsIdentity(config);
  let toldOf: string | undefined;
  let reading: Promise<void> | undefined;

  function tell(problem: string | undefined, fields: LogFields = {}): void {
    if (problem !== undefined && problem !== toldOf) log?.warn("pix.certificate_unusable", fields);
    toldOf = problem;
  }

  async function read(): Promise<void> {
    try {
      const found = await readTlsIdentity(config);
      const outside = outOfTime(found, new Date());
      // A certificate that is put there early waits while the one in use is valid.
      const waits = outside !== undefined && outOfTime(known, new Date()) === undefined;
      if (!waits) known = found;
      tell(waits ? outside : undefined, { reason: outside });
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [];
      // The log holds no paths, so only the variables that the problems begin with.
      const variables = problems.map((problem) => /^\w+/.exec(problem)?.[0] ?? "");
      tell(["unusable", ...problems].join(), { ...describeError(error), variables });
    }
  }

  return async () => {
    // One at a time: each read of a disk that hangs holds a thread.
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await withTimeout(reading, PATIENCE_MS);
    return known;
  };
}
