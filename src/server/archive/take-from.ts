import { ManifestError } from "./manifest.errors.ts";

/** Reads pieces as a sequence of byte runs of chosen lengths. */
export function takeFrom(pieces: AsyncGenerator<Uint8Array>) {
  let rest: Uint8Array = new Uint8Array(0);
  return {
    /** The view is valid until the next call. @throws {ManifestError} if the pieces end first */
    async take(length: number): Promise<Uint8Array> {
      const parts: Uint8Array[] = [];
      let missing = length;
      for (;;) {
        const part = rest.subarray(0, missing);
        rest = rest.subarray(part.length);
        missing -= part.length;
        if (part.length === length) return part;
        parts.push(part);
        if (missing === 0) return Buffer.concat(parts);
        const { value, done } = await pieces.next();
        if (done) throw new ManifestError("its metadata ends early");
        rest = value;
      }
    },
    /** Reads the last bytes and asserts that none follow: zstd compares its checksum only at the end. */
    async end(length: number): Promise<void> {
      await this.take(length);
      for (let more = rest; ; ) {
        if (more.length > 0) throw new ManifestError("its metadata goes on");
        const { value, done } = await pieces.next();
        if (done) return;
        more = value;
      }
    },
  };
}
