import { inflateRawSync } from "node:zlib";
import { inflateInstance } from "../dicom/bulk-data.ts";
import { memorySource } from "../dicom/byte-source.ts";
import type { ByteRange } from "../storage/object-store.ts";
import type { ManifestInstance } from "./manifest.ts";
import { METHOD_STORED } from "./zip-format.ts";

/** The bytes of an instance are not what its manifest says: damage at rest. */
export class InstanceDamaged extends Error {
  override name = "InstanceDamaged";
}

/** Reads a range of the volume that holds the instance. */
export type ReadVolume = (range: ByteRange) => Promise<Uint8Array>;

/**
 * Bytes of an instance's file. A stored one costs one read of just these bytes; a deflated one is read and
 * inflated whole (at most `sizeBytes`).
 * @throws {RangeError} where `range` is not within the instance
 * @throws {InstanceDamaged}
 */
export async function readInstanceRange(
  instance: ManifestInstance,
  range: ByteRange,
  readVolume: ReadVolume,
): Promise<Uint8Array> {
  const { offset, length } = range;
  if (offset < 0 || length < 0 || offset + length > instance.sizeBytes)
    throw new RangeError("not in the instance");
  if (length === 0) return new Uint8Array(0);
  if (instance.method === METHOD_STORED) {
    return readVolume({ offset: instance.dataOffset + offset, length });
  }
  const whole = await readWhole(instance, readVolume);
  return whole.subarray(offset, offset + length);
}

async function readWhole(instance: ManifestInstance, readVolume: ReadVolume): Promise<Uint8Array> {
  const stored = await readVolume({ offset: instance.dataOffset, length: instance.storedBytes });
  return inflateExactly(stored, instance.sizeBytes);
}

/**
 * Inflates raw deflate data that must give exactly `sizeBytes`; never allocates more.
 * @throws {InstanceDamaged}
 */
export function inflateExactly(deflated: Uint8Array, sizeBytes: number): Uint8Array {
  let inflated: Uint8Array;
  try {
    inflated = inflateRawSync(deflated, {
      chunkSize: Math.max(64, sizeBytes),
      maxOutputLength: Math.max(1, sizeBytes),
    });
  } catch (cause) {
    throw new InstanceDamaged("an entry does not inflate", { cause });
  }
  if (inflated.length !== sizeBytes)
    throw new InstanceDamaged("an entry is not as long as its manifest says");
  return inflated;
}

/**
 * The whole file with its data set inflated: what offsets of a `deflated` frame table count in (PS3.5 §A.5). A
 * file whose data set is not deflated comes as it is.
 * @throws {InstanceDamaged}
 */
export async function readInflatedInstance(
  instance: ManifestInstance,
  readVolume: ReadVolume,
): Promise<Uint8Array> {
  const whole = await readInstanceRange(instance, { offset: 0, length: instance.sizeBytes }, readVolume);
  const inflated = inflateInstance(memorySource(whole));
  if (!inflated) throw new InstanceDamaged("its data set does not inflate");
  const bytes = new Uint8Array(inflated.sizeBytes);
  for (let at = 0; at < bytes.length; ) {
    const piece = inflated.read(at, bytes.length - at);
    if (piece.length === 0) throw new InstanceDamaged("its data set ends early");
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
