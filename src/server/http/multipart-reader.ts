import { isUtf8 } from "node:buffer";

/** The body is not valid multipart (RFC 2046 §5.1), or ended early. */
export class MultipartBroken extends Error {
  override name = "MultipartBroken";
  constructor(
    message: string,
    readonly hasTooManyParts = false,
  ) {
    super(message);
  }
}

export interface BodyPart {
  /** As sent, decoded as UTF-8; a line for each. */
  headers: string;
  /** The unread rest is skipped when the next part is asked for. */
  content: AsyncGenerator<Uint8Array, void, undefined>;
}

export interface FormPart {
  name: string;
  /** Only files have one. As sent, possibly with a path. */
  fileName: string | undefined;
  /** The unread rest is skipped when the next part is asked for. */
  content: AsyncGenerator<Uint8Array, void, undefined>;
}

const MAX_PARTS = 16;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_END = Buffer.from("\r\n\r\n");
const LINE_BREAK = Buffer.from("\r\n");
const NOTHING = Buffer.alloc(0);

/** The boundary that a `Content-Type` of `multipart/form-data`, or of another subtype, names. */
export function boundaryOf(
  contentType: string,
  subtype: "form-data" | "related" = "form-data",
): string | undefined {
  const [type = ""] = contentType.split(";", 1);
  if (type.trim().toLowerCase() !== `multipart/${subtype}`) return undefined;
  // RFC 2046 allows 70 characters; Orthanc sends 73.
  const match = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200})(?=\s*(?:;|$)))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/**
 * Reads the parts of a form in order, in constant memory. The pieces of `content` are views of the received chunks.
 * @throws {MultipartBroken} also from `content`
 */
export async function* readFormParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart, void, undefined> {
  for await (const { headers, content } of readParts(body, boundary, MAX_PARTS)) {
    const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
    yield { name: parameterOf(disposition, "name") ?? "", fileName: fileNameIn(disposition), content };
  }
}

/**
 * Reads the parts of a multipart body in order, in constant memory. The pieces of `content` are views of the received chunks.
 * @throws {MultipartBroken} also from `content`, and after `maxParts`
 */
export async function* readParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  maxParts: number,
): AsyncGenerator<BodyPart, void, undefined> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await using input = new Input(body);
  await skip(input.until(delimiter));
  for (let parts = 0; !(await input.startsWith("--")); parts++) {
    if (parts === maxParts) throw new MultipartBroken("too many parts", true);
    const headers = await readHeaders(input);
    const content = input.until(delimiter);
    yield { headers, content };
    await skip(content);
  }
  await input.skipRest();
}

async function skip(content: AsyncGenerator<Uint8Array>): Promise<void> {
  while (!(await content.next()).done);
}

async function readHeaders(input: Input): Promise<string> {
  let text = "";
  for await (const piece of input.until(HEADERS_END)) {
    // Latin-1 keeps each byte, so that a letter that is cut between two pieces is whole again below.
    text += Buffer.from(piece).toString("latin1");
    if (text.length > MAX_HEADER_BYTES) throw new MultipartBroken("headers too long");
  }
  return Buffer.from(text, "latin1").toString("utf8");
}

/**
 * A file's name. Some programs write one with accents in the extended form of RFC 8187, alone (Python) or beside one in a coding of
 * mails (.NET).
 */
function fileNameIn(disposition: string): string | undefined {
  const plain = parameterOf(disposition, "filename");
  // A quote that nothing closes reaches to the end: looking for its end again from each quote within it would take long.
  const unquoted = disposition.replace(/"(?:[^"\\]|\\.?)*"?/g, '""');
  const [, charset = "", value] = /;\s*filename\*=([\w-]*)'[\w-]*'([^\s;"]+)/i.exec(unquoted) ?? [];
  if (value === undefined) return plain;
  const decoded = value.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const bytes = Buffer.from(decoded, "latin1");
  return charset.toLowerCase() === "utf-8" && isUtf8(bytes) ? bytes.toString("utf8") : (plain ?? value);
}

/** Browsers write a quote in a value as `%22` (HTML, multipart/form-data encoding), others as `\"`. */
function parameterOf(disposition: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(disposition);
  return match?.[1] ?? match?.[2];
}

/** The part of the body that has arrived and was not taken yet. */
class Input implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** Stands for the line break that the first delimiter does not need. */
  #unread: Buffer = LINE_BREAK;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Takes the bytes up to `end`, and `end` itself. @throws {MultipartBroken} if it does not come */
  async *until(end: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const at = this.#unread.indexOf(end);
      if (at >= 0) {
        const last = this.#unread.subarray(0, at);
        this.#unread = this.#unread.subarray(at + end.length);
        if (last.length > 0) yield last;
        return;
      }
      const certain = this.#lengthBefore(end);
      if (certain > 0) {
        const piece = this.#unread.subarray(0, certain);
        // Whoever takes a whole chunk may give its memory back.
        this.#unread = certain < this.#unread.length ? this.#unread.subarray(certain) : NOTHING;
        yield piece;
      }
      const rest = await this.#receive(end);
      if (rest) yield rest;
    }
  }

  /** How many unread bytes can't belong to an `end` that continues in the next chunk. */
  #lengthBefore(end: Buffer): number {
    const { length } = this.#unread;
    const begin = this.#unread.indexOf(end.subarray(0, 1), Math.max(0, length - (end.length - 1)));
    return begin < 0 ? length : begin;
  }

  async startsWith(text: string): Promise<boolean> {
    while (this.#unread.length < text.length) await this.#append();
    return this.#unread.toString("latin1", 0, text.length) === text;
  }

  async skipRest(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }

  /**
   * Takes the next chunk after a short rest that may be the start of `end`. The chunk is not copied: if `end` does not lie
   * across the two, the rest is returned as a piece of its own.
   */
  async #receive(end: Buffer): Promise<Uint8Array | undefined> {
    const rest = this.#unread;
    const chunk = await this.#next();
    const seam = Buffer.concat([rest, chunk.subarray(0, end.length - 1)]);
    if (chunk.length < end.length || seam.includes(end)) {
      this.#unread = Buffer.concat([rest, chunk]);
      return undefined;
    }
    this.#unread = chunk;
    return rest.length > 0 ? rest : undefined;
  }

  async #append(): Promise<void> {
    this.#unread = Buffer.concat([this.#unread, await this.#next()]);
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new MultipartBroken("ends early");
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  /** Stops reading the body, whether it has ended or not. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.();
  }
}
