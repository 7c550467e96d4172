import { createReadStream } from "node:fs";
import { z } from "zod";
import { OperatorError } from "../../runtime/operator-error.ts";
import { statFile } from "../../storage/disk/durable-file.ts";
import { isObjectKey } from "../../storage/object-store.ts";

/** Files of DATA_DIR. The secrets open what is sealed in the database; the node's id lets it continue its own jobs. */
export const SECRETS = ["auth-secret", "receipt-key", "node-id"] as const;

/** The only paths of each kind. A restore writes secrets and mails under their last name, and nothing else. */
const PATHS = {
  database: /^states\/[^/]+\/database\.sql$/,
  object: /^objects\/[0-9a-f]{2}\/[0-9a-f]{64}$/,
  secret: new RegExp(`^states/[^/]+/secrets/(${SECRETS.join("|")})$`),
  mail: /^states\/[^/]+\/mail\/[^/]+\.eml$/,
  upload: /^objects\/[0-9a-f]{2}\/[0-9a-f]{64}$/,
};

const keySchema = z.string().max(512).refine(isObjectKey);

/**
 * A file of a backup. An `object` entry names the key of its bytes in the archive store, an `upload` entry the upload whose bytes it has,
 * which no study showed yet.
 */
const fileSchema = z.object({
  /** Relative to the backup's folder, with `/` between names. */
  path: z
    .string()
    .max(300)
    .regex(/^(?!.*(^|\/)\.{1,2}(\/|$))[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/),
  kind: z.enum(["database", "object", "secret", "mail", "upload"]),
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The key of an object. Two objects of equal content share a file. */
  key: keySchema.optional(),
  uploadId: z.uuid().optional(),
  /** The SHA-256 in the database, if the bytes had changed before the backup. */
  expectedSha256: z.string().optional(),
});

const backupFileSchema = fileSchema.refine(
  ({ kind, path, key, uploadId }) =>
    PATHS[kind].test(path) &&
    (kind === "object") === (key !== undefined) &&
    (kind === "upload") === (uploadId !== undefined),
);

export type BackupFile = z.infer<typeof backupFileSchema>;

/** The head of a manifest, which describes the whole state. */
const backupHeadSchema = z.object({
  version: z.literal(1),
  product: z.string(),
  /** Names the state; also its folder below `states`. */
  state: z.string().regex(/^[0-9]{8}T[0-9]{6}Z(-[0-9]+)?$/),
  createdAt: z.iso.datetime(),
  /** `folderMillis` of the newest migration. */
  migration: z.number(),
  /** The first folder of objects that the next backup reads again; absent in states of older versions. */
  rereadFrom: z.number().int().nonnegative().optional(),
});

export type BackupHead = z.infer<typeof backupHeadSchema>;

/** A manifest can't be read, or is not one. */
export class ManifestIsUnreadable extends OperatorError {
  override name = "ManifestIsUnreadable";
}

/** No line of a manifest is nearly as long. */
const MAX_LINE_LENGTH = 64 * 1024;
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

/** The keys of objects that no store had when the backup was made. */
export async function* readManifestMissing(path: string): AsyncGenerator<string, void> {
  let isAmongMissing = false;
  for await (const line of linesOf(path)) {
    if (isAmongMissing && line.startsWith('    "')) yield parsed(keySchema, line.replace(/,$/, ""), path);
    else isAmongMissing = line === MISSING;
  }
}

/** @throws {ManifestIsUnreadable} if it is no regular file, such as a link, or has a line that no manifest has */
async function* linesOf(path: string): AsyncGenerator<string, void> {
  if (!(await statFile(path))) throw new ManifestIsUnreadable(`${path} is not a manifest of a backup`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of createReadStream(path)) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH) break;
    yield* lines;
  }
  if (rest.length > MAX_LINE_LENGTH) throw new ManifestIsUnreadable(`${path} is not a manifest of a backup`);
  if (rest !== "") yield rest;
}

function parsed<Value>(schema: z.ZodType<Value>, json: string, path: string): Value {
  try {
    return schema.parse(JSON.parse(json));
  } catch (error) {
    throw new ManifestIsUnreadable(`${path} is not a manifest of a backup`, { cause: error });
  }
}
