import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { ManifestError } from "../../../src/server/archive/manifest.errors.ts";
import { type CompressedMetadata, openMetadataJson } from "../../../src/server/archive/metadata-json.ts";

const small = Buffer.from('[{"00080018":{"vr":"UI","Value":["1.2"]}}]');
const large = Buffer.from(`["${randomBytes(300_000).toString("hex")}"]`);

function compressed(json: Buffer, as = (section: Buffer): Uint8Array | Blob => section): CompressedMetadata {
  return { inflatedBytes: json.length, open: async () => as(zstdCompressSync(json)) };
}

async function piecesOf(metadata: CompressedMetadata): Promise<Uint8Array[]> {
  return await Array.fromAsync(await openMetadataJson(metadata));
}

test("metadata that a piece holds are one piece, larger ones several", async () => {
  expect(await piecesOf(compressed(small))).toHaveLength(1);
  expect((await piecesOf(compressed(large))).length).toBeGreaterThan(1);
});

test.each([
  ["in memory", undefined],
  ["from a file", (section: Buffer) => new Blob([Uint8Array.from(section)])],
] as const)("metadata %s are inflated whole", async (_, as) => {
  for (const json of [small, large])
    expect(Buffer.concat(await piecesOf(compressed(json, as))).equals(json)).toBe(true);
});

test("metadata inflate to no more than they declare", async () => {
  const bomb = zstdCompressSync(Buffer.alloc(8 * 1024 * 1024));
  for (const inflatedBytes of [0, 2, small.length]) {
    const declared = { inflatedBytes, open: async () => bomb };
    const error = await piecesOf(declared).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ManifestError);
    // It is the end of the buffer that ends it, not a look at what all of it came to.
    expect(error).toHaveProperty("cause.code", "ERR_BUFFER_TOO_LARGE");
  }
});

test("metadata that are cut, damaged or shorter than they declare are refused while they are read", async () => {
  const section = zstdCompressSync(small);
  const short = { inflatedBytes: small.length + 1, open: async () => section };
  const cut = { inflatedBytes: small.length, open: async () => section.subarray(0, section.length - 5) };
  const damaged = { inflatedBytes: large.length, open: async () => Buffer.alloc(2_000, 1) };
  for (const metadata of [short, cut, damaged]) {
    const pieces = await openMetadataJson(metadata);
    await expect(Array.fromAsync(pieces)).rejects.toBeInstanceOf(ManifestError);
  }
});
