/** The most memory that is taken at first because an answer announces its length; a longer answer lets it grow. */
const MAX_BEGUN_BYTES = 4 * 1024 * 1024;
const LEAST_BYTES = 64 * 1024;

/** Takes the beginning of an answer once `bytes` of it have arrived. What `take` gets is overwritten after it returns. */
export interface Prefix {
  bytes: number;
  /** Bytes of the whole answer, if it announces them: no beginning is taken of an answer that has arrived whole. */
  whole?: number;
  take(bytes: Uint8Array<ArrayBuffer>): void;
}

/**
 * Reads a body of unknown length, and gives its beginning to `prefix.take` as soon as `prefix.bytes` are there.
 * @throws {RangeError} before more than `maxBytes` are held
 */
export async function readBounded(
  response: Response,
  maxBytes: number,
  prefix?: Prefix,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  let bytes = new Uint8Array(Math.min(lengthOf(response), MAX_BEGUN_BYTES, maxBytes));
  let wanted = prefix;
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const next = length + value.length;
    if (next > maxBytes) {
      await reader.cancel();
      throw new RangeError(`more than ${maxBytes} bytes`);
    }
    if (next > bytes.length)
      bytes = enlarged(bytes.subarray(0, length), Math.max(next, LEAST_BYTES, 2 * length));
    bytes.set(value, length);
    length = next;
    if (wanted && length >= wanted.bytes) {
      if (length !== wanted.whole) wanted.take(bytes.subarray(0, length));
      wanted = undefined;
    }
  }
  return length === bytes.length ? bytes : bytes.slice(0, length);
}

/**
 * Reads a body into the memory given, as far as it fits: the browser makes no pieces, which would wait for their collection.
 * @throws {RangeError} before more than `maxBytes` are held
 */
export async function readInto(
  reader: ReadableStreamBYOBReader,
  memory: ArrayBuffer,
  { maxBytes, prefix }: { maxBytes: number; prefix?: Prefix | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(memory);
  let wanted = prefix;
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read(bytes.subarray(length));
    if (!value) throw new TypeError("the answer was given up");
    // The memory went with the question and comes back with the answer.
    bytes = new Uint8Array(value.buffer);
    if (done) return bytes.subarray(0, length);
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new RangeError(`more than ${maxBytes} bytes`);
    }
    if (wanted && length >= wanted.bytes) {
      if (length !== wanted.whole) wanted.take(bytes.subarray(0, length));
      wanted = undefined;
    }
    if (length === bytes.length) bytes = enlarged(bytes, Math.min(2 * length, maxBytes + 1));
  }
}

/** A reader that fills memory of ours; undefined where the browser has none for answers. */
export function fillingReader({ body }: Response): ReadableStreamBYOBReader | undefined {
  try {
    return body?.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What the answer says of its length, unless that is the length of its compressed form; else 0. */
export function lengthOf({ headers }: Response): number {
  const said = headers.has("Content-Encoding") ? 0 : Number.parseInt(headers.get("Content-Length") ?? "", 10);
  return Math.max(said || 0, 0);
}

function enlarged(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}
