import { expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import {
  InstanceDamaged,
  instancePieces,
  type VolumeReader,
} from "../../../src/server/archive/instance-reader.ts";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";

const SIZE_BYTES = 1024;

/** Reads an entry whose inflation fails with a code of zlib. */
async function failureOf(code: string): Promise<unknown> {
  const deflated = deflateRawSync(new Uint8Array(SIZE_BYTES));
  const instance = { method: 8, dataOffset: 0, storedBytes: deflated.length, sizeBytes: SIZE_BYTES };
  const failing = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(Object.assign(new Error(code), { code })),
    });
  const volume: VolumeReader = { read: async () => deflated, open: async () => failing() };
  const pieces = instancePieces(instance as ManifestInstance, { offset: 0, length: SIZE_BYTES }, volume);
  return await Array.fromAsync(pieces).catch((error: unknown) => error);
}

test("an instance is not called damaged because memory ran out while it was inflated", async () => {
  expect(await failureOf("Z_MEM_ERROR")).not.toBeInstanceOf(InstanceDamaged);
  for (const code of ["Z_DATA_ERROR", "Z_BUF_ERROR", "Z_NEED_DICT"])
    expect(await failureOf(code)).toBeInstanceOf(InstanceDamaged);
});
