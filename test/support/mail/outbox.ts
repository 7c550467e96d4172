import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface ReadMail {
  to: string;
  subject: string;
  /** The plain-text part. */
  text: string;
}

/** Mails in the outbox, oldest first, decoded far enough to be read by a test. */
export async function readOutbox(dataDir: string): Promise<ReadMail[]> {
  const folder = join(dataDir, "outbox");
  const names = await readdir(folder).catch(() => []);
  const mails = names.filter((name) => name.endsWith(".eml")).sort();
  return await Promise.all(mails.map(async (name) => parseMail(await readFile(join(folder, name), "utf8"))));
}

export function parseMail(source: string): ReadMail {
  const header = (name: string) =>
    decodeWords(
      source.match(new RegExp(`^${name}: ((?:.|\\r?\\n[ \\t])*)`, "im"))?.[1]?.replace(/\r?\n[ \t]/g, " ") ??
        "",
    );
  const [, encoding = "", rest = ""] =
    source.match(
      /Content-Type: text\/plain[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n(?:Content-Transfer-Encoding: ([\w-]+)\r?\n)?(?:[\w-]+:[^\r\n]*\r?\n)*\r?\n([\s\S]*)/i,
    ) ?? [];
  // A line of a link that is folded may begin with two hyphens too, so only the boundary ends the part.
  const boundary = /boundary="([^"]+)"/i.exec(source)?.[1];
  if (boundary === undefined) throw new Error("a mail without a boundary");
  const [body = ""] = rest.split(`\r\n--${boundary}`, 1);
  return { to: header("To"), subject: header("Subject"), text: decodeBody(body, encoding) };
}

function decodeBody(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, "base64").toString("utf8");
  if (!/quoted-printable/i.test(encoding)) return body;
  const bytes = body
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function decodeWords(text: string): string {
  return text.replace(/=\?utf-8\?([bq])\?([^?]*)\?=\s*/gi, (_, kind, body) =>
    /b/i.test(kind)
      ? Buffer.from(body, "base64").toString("utf8")
      : decodeBody(body.replace(/_/g, " "), "quoted-printable"),
  );
}

/** The six digits that stand alone on a line. */
export function codeIn(mail: ReadMail | undefined): string {
  return mail?.text.match(/^(\d{6})\r?$/m)?.[1] ?? "";
}

/** The link written out in the text. */
export function linkIn(mail: ReadMail | undefined): URL {
  return new URL(mail?.text.match(/https?:\/\/\S+/)?.[0] ?? "http://no.link/");
}
