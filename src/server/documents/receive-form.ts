import { type FileHandle, open, rm } from "node:fs/promises";
import { AppError, type ErrorKind } from "../http/app-error.ts";
import { assertUncoded } from "../http/body-coding.ts";
import { furtherFile } from "../http/further-file.ts";
import { bodyInterrupted, bodyTooLarge, unsupportedMediaType } from "../http/http.errors.ts";
import { boundaryOf, MultipartBroken, readFormParts } from "../http/multipart-reader.ts";
import { receiveBody } from "../http/receive-body.ts";
import type { SenderSlot } from "../http/sender-slots.ts";
import type { Node } from "../nodes/node.ts";
import { readUpTo } from "../runtime/read-up-to.ts";
import { newSpoolName } from "./form-spool.ts";

/** The most text in a form; our own forms have less. */
const MAX_TEXT_BYTES = 256 * 1024;
/** What stands around texts and file: boundaries, and headers of at most 16 kB for each of 16 parts. */
const MAX_FRAME_BYTES = 512 * 1024;

/** A form with one file, which is on disk without a name until disposal. */
export interface ReceivedForm extends AsyncDisposable {
  /** The last value of each field. */
  fields: Record<string, string>;
  /** Undefined if no file, or an empty one, was sent. */
  file: { sizeBytes: number; read(): Promise<Uint8Array> } | undefined;
}

export interface FormRules {
  /** The field of the file; any other file is refused. */
  fileField: string;
  maxFileBytes: number;
  tooLarge: ErrorKind;
}

/**
 * Streams a multipart form: its text into memory, its file onto the disk.
 * @throws {AppError} `rules.tooLarge`, `body.interrupted`, 400 for a second file, 413, 415
 */
export async function receiveForm(
  { node }: { node: Pick<Node, "stagedPath" | "bootId"> },
  request: Request,
  slot: SenderSlot,
  rules: FormRules,
): Promise<ReceivedForm> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (boundary === undefined || !request.body) throw new AppError(unsupportedMediaType);
  assertUncoded(request.headers);
  await using handles = new AsyncDisposableStack();
  const fields: Record<string, string> = {};
  let textBytes = 0;
  let file: { handle: FileHandle; sizeBytes: number } | undefined;
  try {
    const body = withinRules(receiveBody(request.body, slot), rules);
    for await (const { name, fileName, content } of readFormParts(body, boundary)) {
      if (fileName === undefined) {
        const text = await readText(content, MAX_TEXT_BYTES - textBytes);
        textBytes += text.length;
        fields[name] = Buffer.from(text).toString("utf8");
        continue;
      }
      // A browser sends a file input that was left empty as a file without a name.
      if (fileName === "" && (file || name !== rules.fileField)) continue;
      if (name !== rules.fileField || file?.sizeBytes) throw furtherFile(name);
      const handle = file?.handle ?? handles.use(await openNameless(node.stagedPath(newSpoolName(node))));
      file = { handle, sizeBytes: await spool(content, handle, rules) };
    }
  } catch (cause) {
    throw cause instanceof MultipartBroken ? new AppError(bodyInterrupted, { cause }) : cause;
  }
  const kept = handles.move();
  return {
    fields,
    file: file?.sizeBytes ? { sizeBytes: file.sizeBytes, read: readerOf(file) } : undefined,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A body that need not say its length. @throws {AppError} `rules.tooLarge` once more came than a form may have */
async function* withinRules(
  body: AsyncIterable<Uint8Array>,
  { maxFileBytes, tooLarge }: FormRules,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const piece of body) {
    sizeBytes += piece.length;
    if (sizeBytes > maxFileBytes + MAX_TEXT_BYTES + MAX_FRAME_BYTES) throw new AppError(tooLarge);
    yield piece;
  }
}

/** Opens a file without a name, which the system deletes when its handle is closed or the process ends. A kill in between leaves it to the sweep. */
async function openNameless(path: string): Promise<FileHandle> {
  const handle = await open(path, "wx+", 0o600);
  await rm(path);
  return handle;
}

async function readText(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readUpTo(copiesOf(content), maxBytes);
  if (!bytes) throw new AppError(bodyTooLarge);
  return bytes;
}

/** Copies a piece, which is a view of a whole network buffer and would keep all of it in memory. */
async function* copiesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) yield Uint8Array.from(piece);
}

async function spool(
  content: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  { maxFileBytes, tooLarge }: FormRules,
): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of content) {
    sizeBytes += piece.length;
    if (sizeBytes > maxFileBytes) throw new AppError(tooLarge);
    let rest = piece;
    while (rest.length > 0) rest = rest.subarray((await handle.write(rest)).bytesWritten);
  }
  return sizeBytes;
}

function readerOf({ handle, sizeBytes }: { handle: FileHandle; sizeBytes: number }) {
  return async () => {
    const bytes = new Uint8Array(sizeBytes);
    let at = 0;
    while (at < sizeBytes) {
      const { bytesRead } = await handle.read(bytes, at, sizeBytes - at, at);
      if (bytesRead === 0) throw new AppError(bodyInterrupted, { detail: "the spooled file is short" });
      at += bytesRead;
    }
    return bytes;
  };
}
