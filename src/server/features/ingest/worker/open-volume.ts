import { closeSync, openSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { readFully } from "../../../archive/file-window.ts";
import { inflateExactly } from "../../../archive/instance-reader.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { PieceSummer } from "../../../archive/piece-sums.ts";
import { makeVolumeInPlace, planInPlace } from "../../../archive/volume-in-place.ts";
import { type EntryBytes, VolumeWriter, type WrittenVolume } from "../../../archive/volume-writer.ts";
import type { InstanceBytes, ScannedUpload } from "./scanned-upload.ts";
import type { Placeable } from "./sort-instances.ts";
import type { GuessedVolume, PlannedObject } from "./worker-messages.ts";

/** The place of an entry in a volume, and how it is stored. */
export type Place = Pick<ManifestInstance, "volumeId" | "dataOffset" | "storedBytes" | "method">;

/** The places of instances in their volume. */
export type Placed = Map<Placeable, Place>;

/** A volume whose instances have their places, not yet forced onto the disk. */
export interface OpenVolume extends AsyncDisposable {
  placed: Placed;
  finish(): Promise<WrittenVolume>;
}

interface Spooled {
  scanned: ScannedUpload;
  spoolPath: string;
  /** The buffer for one read or write; volumes use the same one in turn. */
  chunk: Uint8Array;
  guessed: GuessedVolume | undefined;
  undoPath: string | undefined;
}

/** Opens the volume of these instances: the spool itself if the upload holds nothing else, otherwise a copy. */
export async function openVolume(
  spooled: Spooled,
  planned: PlannedObject,
  instances: Placeable[],
): Promise<OpenVolume> {
  if (planned.storedAs) return volumeInStore(spooled, planned, instances);
  return spoolAsVolume(spooled, planned, instances) ?? (await copyToVolume(spooled, planned, instances));
}

/**
 * Uses the spool as the volume, so that its bytes are written once. This requires that every instance of the upload goes into it
 * unchanged: if the study changes before the commit, any of them may be needed again, and the spool is the only copy.
 */
function spoolAsVolume(
  { scanned, spoolPath, chunk, guessed, undoPath }: Spooled,
  { id: volumeId, path: volumePath }: PlannedObject,
  instances: Placeable[],
): OpenVolume | undefined {
  const isWhole = instances.length === scanned.instanceCount;
  if (!isWhole || !instances.every(({ bytes }) => isStoredAsPlanned(bytes))) return undefined;
  const plan = planInPlace(
    volumeId,
    instances.map(({ bytes: { method, crc32, storedBytes, sizeBytes, offset } }) => ({
      method,
      crc32,
      storedBytes,
      sizeBytes,
      dataOffset: offset,
    })),
  );
  if (!plan) return undefined;
  const place = ({ bytes: { offset, storedBytes, method } }: Placeable): Place => ({
    volumeId,
    storedBytes,
    method,
    dataOffset: offset,
  });
  let made: ReturnType<typeof makeVolumeInPlace> | undefined;
  return {
    placed: new Map(instances.map((instance) => [instance, place(instance)])),
    finish() {
      made = makeVolumeInPlace(plan, { path: spoolPath, volumePath, undoPath }, chunk, guessed);
      return made;
    },
    async [Symbol.asyncDispose]() {
      await made?.catch(() => {}); // thrown to the caller of finish
    },
  };
}

/** The volume that the spool is a copy of: its instances stay where they are. */
function volumeInStore(
  { spoolPath, chunk }: Spooled,
  { id: volumeId }: PlannedObject,
  instances: Placeable[],
): OpenVolume {
  const placed: Placed = new Map();
  for (const instance of instances) {
    const { bytes } = instance;
    if (!isStoredAsPlanned(bytes))
      throw new RangeError("a volume holds an instance that can't be read there");
    const { offset: dataOffset, storedBytes, method } = bytes;
    placed.set(instance, { volumeId, dataOffset, storedBytes, method });
  }
  return {
    placed,
    finish: async () => sumFile(spoolPath, chunk),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function sumFile(path: string, chunk: Uint8Array): Promise<WrittenVolume> {
  const sha256 = new Bun.CryptoHasher("sha256");
  const pieces = new PieceSummer();
  const fd = openSync(path, "r");
  let sizeBytes = 0;
  try {
    for (;;) {
      const read = readFully(fd, chunk, sizeBytes, chunk.length);
      if (read === 0) return { sizeBytes, sha256: sha256.digest("hex"), crc32s: pieces.digest() };
      const bytes = chunk.subarray(0, read);
      sha256.update(bytes);
      pieces.update(bytes);
      sizeBytes += read;
      await setImmediate();
    }
  } finally {
    closeSync(fd);
  }
}

function isStoredAsPlanned({ source, inflateBeforeWriting }: InstanceBytes): boolean {
  return source === "spool" && !inflateBeforeWriting;
}

async function copyToVolume(
  { spoolPath, chunk }: Spooled,
  { id: volumeId, path }: PlannedObject,
  instances: Placeable[],
): Promise<OpenVolume> {
  await using stack = new AsyncDisposableStack();
  const spoolFd = openSync(spoolPath, "r");
  stack.defer(() => closeSync(spoolFd));
  const writer = stack.use(new VolumeWriter(path, volumeId, chunk));
  const placed: Placed = new Map();
  for (const instance of instances) {
    const { sizeBytes, crc32 } = instance.bytes;
    using source = openEntry(spoolFd, instance.bytes);
    const { storedBytes, method } = source;
    const { dataOffset } = await writer.add({ method, crc32, storedBytes, sizeBytes }, source.bytes);
    placed.set(instance, { volumeId, dataOffset, storedBytes, method });
  }
  const opened = stack.move();
  return {
    placed,
    finish: () => writer.finish(),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

interface OpenEntry extends Disposable {
  bytes: EntryBytes;
  storedBytes: number;
  method: 0 | 8;
}

function openEntry(spoolFd: number, bytes: InstanceBytes): OpenEntry {
  const { source, offset, storedBytes, method, sizeBytes } = bytes;
  if (source !== "spool") {
    const fd = openSync(source.inflatedPath, "r");
    return { bytes: { fd, offset }, storedBytes, method, [Symbol.dispose]: () => closeSync(fd) };
  }
  const nothingToClose = () => {};
  if (!bytes.inflateBeforeWriting) {
    return { bytes: { fd: spoolFd, offset }, storedBytes, method, [Symbol.dispose]: nothingToClose };
  }
  const deflated = new Uint8Array(storedBytes);
  readFully(spoolFd, deflated, offset, storedBytes);
  const inflated = inflateExactly(deflated, sizeBytes);
  return { bytes: { bytes: inflated }, storedBytes: sizeBytes, method: 0, [Symbol.dispose]: nothingToClose };
}
