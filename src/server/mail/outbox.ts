import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { domainToASCII } from "node:url";
import { DAY_MS } from "../../shared/units.ts";
import type { Config } from "../config.ts";

/** The limits of the outbox: age, number of files, bytes. The oldest files go first. */
const outboxLimits = { days: 30, files: 5_000, bytes: 1 << 30 };
export type OutboxLimits = typeof outboxLimits;

/** Recipients are in the header of a mail, so only its first bytes are read. */
const HEAD_BYTES = 16 << 10;
/** The names of our files: `.tmp` until a rename makes them complete. */
const NAME = /^[0-9a-f-]{36}\.(eml|tmp)$/;

export function outboxFolder({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "outbox");
}

interface MailFile {
  path: string;
  sizeBytes: number;
  writtenAt: number;
}

/** Deletes the mails that are too old, and the oldest ones while they are too many. */
export async function sweepOutbox(
  folder: string,
  now: Date,
  { days, files, bytes }: OutboxLimits = outboxLimits,
): Promise<void> {
  const kept = (await listMailFiles(folder)).sort((one, other) => other.writtenAt - one.writtenAt);
  const since = now.getTime() - days * DAY_MS;
  let sizeBytes = 0;
  for (const [index, file] of kept.entries()) {
    sizeBytes += file.sizeBytes;
    if (file.writtenAt < since || index >= files || sizeBytes > bytes) await rm(file.path, { force: true });
  }
}

/** Deletes the mails written since `since` that go to an address, or whose replies go there. */
export async function forgetInOutbox(folder: string, about: string, since: Date): Promise<void> {
  for (const { path, writtenAt } of await listMailFiles(folder)) {
    if (writtenAt < since.getTime()) continue;
    const head = await readHead(path);
    if (head && addressesIn(head).some((address) => hashAddress(address) === about))
      await rm(path, { force: true });
  }
}

/** A hash that identifies an address. The case of the address and the script of its domain make no difference. */
export function hashAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  const plain = `${address.slice(0, at)}@${domainToASCII(domain) || domain}`.normalize("NFC").toLowerCase();
  return new Bun.CryptoHasher("sha256").update(plain).digest("hex");
}

async function listMailFiles(folder: string): Promise<MailFile[]> {
  const names = await readdir(folder).catch(undefinedIfMissing);
  const listed: MailFile[] = [];
  for (const name of names ?? []) {
    if (!NAME.test(name)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(undefinedIfMissing);
    if (info?.isFile()) listed.push({ path, sizeBytes: info.size, writtenAt: info.mtimeMs });
  }
  return listed;
}

/** Returns undefined for a file or folder that does not exist. Throws any other error. */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

async function readHead(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch(undefinedIfMissing);
  if (!file) return undefined;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The addresses of `To` and `Reply-To`, whose lines may be folded (RFC 5322 §2.2.3). */
function addressesIn(source: string): string[] {
  const [head = ""] = source.split(/\r?\n\r?\n/, 1);
  const lines = head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  return lines
    .filter((line) => /^(to|reply-to):/i.test(line))
    .flatMap((line) => Array.from(line.matchAll(/[^\s<>",:;]+@[^\s<>",:;]+/g), ([address]) => address));
}
