import { describe, expect, test } from "bun:test";
import { zstdDecompressSync } from "node:zlib";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import { encodeManifest, metadataSection } from "../../../src/server/archive/manifest-codec.ts";
import { type MetadataRef, MetadataStore } from "../../../src/server/archive/metadata-store.ts";
import { MIB } from "../../../src/shared/units.ts";

const jsonOf = (number: number, length = 5_000) => JSON.stringify({ number, text: "ã".repeat(length) });
const textOf = (view: Uint8Array) => Buffer.from(view).toString();

function filled(count: number, length?: number): { store: MetadataStore; refs: MetadataRef[] } {
  const store = new MetadataStore();
  return {
    store,
    refs: Array.from({ length: count }, (_, number) => store.add(Buffer.from(jsonOf(number, length)))),
  };
}

describe("stored metadata", () => {
  test("are read in any order, and more than once", () => {
    const { store, refs } = filled(300);
    const inOrder = refs.map((_, number) => number);
    const scattered = inOrder.map((number) => (number * 97) % 300);
    for (const number of [...inOrder, ...scattered, ...inOrder.toReversed()]) {
      const ref = refs[number];
      if (!ref) throw new Error("no such instance");
      expect(textOf(store.read(ref))).toBe(jsonOf(number));
    }
  });

  test("leave no memory behind once each was read", () => {
    const { store, refs } = filled(300);
    const views = refs.map((ref) => store.read(ref));
    const held = new Set(views.map(({ buffer }) => buffer).filter(({ byteLength }) => byteLength > 0));
    // The batch of the last view, and the one that is being filled.
    expect(held.size).toBeLessThanOrEqual(2);
  });

  test("take little memory while they are read here and there", () => {
    const batches = 80;
    const { store, refs } = filled(batches * 2, 60_000);
    const buffers = refs.filter((_, number) => number % 2 === 0).map((ref) => store.read(ref).buffer);
    const heldBytes = [...new Set(buffers)].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(heldBytes).toBeGreaterThan(MIB);
    expect(heldBytes).toBeLessThanOrEqual(17 * MIB);
  });

  test("of several series go into manifests at the same time", async () => {
    // Larger than the half of a batch, and of the buffer they are compressed through.
    const length = 100_000;
    const { store, refs } = filled(16, length);
    const encode = async (series: number) => {
      const instances = refs.flatMap((_, number) =>
        number % 4 === series ? [{ sopInstanceUID: String(number), instanceNumber: number }] : [],
      ) as ManifestInstance[];
      const manifest = {
        version: 1,
        studyInstanceUID: "1.2",
        seriesInstanceUID: `1.${series}`,
        instances,
      } as const;
      const metadataOf = ({ sopInstanceUID }: ManifestInstance) => {
        const ref = refs[Number(sopInstanceUID)];
        if (!ref) throw new Error("no such instance");
        return store.read(ref);
      };
      const bytes = await encodeManifest({ manifest, metadataOf });
      return textOf(zstdDecompressSync(metadataSection(bytes)));
    };
    const texts = await Promise.all([0, 1, 2, 3].map(encode));
    for (const [series, text] of texts.entries()) {
      const wanted = refs.flatMap((_, number) => (number % 4 === series ? [jsonOf(number, length)] : []));
      expect(text).toBe(`[${wanted.join()}]`);
    }
  });
});
