import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { OperatorError } from "../../runtime/operator-error.ts";

/** A file of a backup. An `object` entry names the key of its bytes in the archive store. */
export const backupFileSchema = z.object({
  /** Relative to the backup's folder, with `/` between names. */
  path: z
    .string()
    .max(300)
    .regex(/^(?!.*(^|\/)\.{1,2}(\/|$))[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/),
  kind: z.enum(["database", "object", "secret", "mail"]),
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The key of an object. Two objects of equal content share a file. */
  key: z.string().max(512).optional(),
  /** The SHA-256 in the database, if the bytes had changed before the backup. */
  expectedSha256: z.string().optional(),
});

export type BackupFile = z.infer<typeof backupFileSchema>;

/** The head of a manifest, which describes the whole state. */
export const backupHeadSchema = z.object({
  version: z.literal(1),
  product: z.string(),
  /** Names the state; also its folder below `states`. */
  state: z.string().regex(/^[0-9]{8}T[0-9]{6}Z(-[0-9]+)?$/),
  createdAt: z.iso.datetime(),
  /** `folderMillis` of the newest migration. */
  migration: z.number(),
});

export type BackupHead = z.infer<typeof backupHeadSchema>;

/** A manifest can't be read, or is not one. */
export class ManifestIsUnreadable extends OperatorError {
  override name = "ManifestIsUnreadable";
}

/** The head has fewer lines than this in every version. */
const MAX_HEAD_LINES = 100;
const FILES = '  "files": [';
const MISSING = '  "missing": [';

/**
 * The lines of a manifest: JSON as a whole, with one file a line, so that it is written and read in constant memory.
 * @param missing keys that the database names and no store has; read after all of `files`
 */
export async function* manifestLines(
  head: BackupHead,
  files: AsyncIterable<BackupFile> | Iterable<BackupFile>,
  missing: Iterable<string>,
): AsyncGenerator<string> {
  const fields = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  yield `{\n${fields.join("")}${FILES}`;
  let separator = "\n    ";
  for await (const file of files) {
    yield separator + JSON.stringify(file);
    separator = ",\n    ";
  }
  yield `\n  ],\n${MISSING}`;
  separator = "\n    ";
  for (const key of missing) {
    yield separator + JSON.stringify(key);
    separator = ",\n    ";
  }
  yield "\n  ]\n}\n";
}

/** @throws {ManifestIsUnreadable} */
export async function readManifestHead(path: string): Promise<BackupHead> {
  const fields: string[] = [];
  for await (const line of linesOf(path)) {
    if (line === FILES) break;
    fields.push(line);
    if (fields.length > MAX_HEAD_LINES) break;
  }
  return parsed(backupHeadSchema, `${fields.join("\n").replace(/,\s*$/, "")}}`, path);
}

/**
 * The files that a manifest names, one after the other.
 * @throws {ManifestIsUnreadable} at its end, if the file is incomplete
 */
export async function* readManifestFiles(path: string): AsyncGenerator<BackupFile, void> {
  let last = "";
  let isAmongFiles = false;
  for await (const line of linesOf(path)) {
    if (isAmongFiles && line.startsWith("    {"))
      yield parsed(backupFileSchema, line.replace(/,$/, ""), path);
    else isAmongFiles = line === FILES;
    last = line;
  }
  if (last !== "}") throw new ManifestIsUnreadable(`${path} ends early`);
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

function parsed<Value>(schema: z.ZodType<Value>, json: string, path: string): Value {
  try {
    return schema.parse(JSON.parse(json));
  } catch (error) {
    throw new ManifestIsUnreadable(`${path} is not a manifest of a backup`, { cause: error });
  }
}
