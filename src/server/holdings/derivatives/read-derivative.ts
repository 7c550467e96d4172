import { crc32 } from "node:zlib";
import type { Deps } from "../../deps.ts";
import { ByteCache } from "../../runtime/byte-cache.ts";
import { describeError } from "../../runtime/log.ts";
import { type ByteRange, ObjectNotFound, StoreUnavailable } from "../../storage/object-store.ts";
import { readStored, type StoreDeps } from "../reading/stored-bytes.ts";
import type { Derivative, FindDerivative } from "./derivative.ts";
import { type DerivativeIndex, DerivativeUnreadable, decodeIndex, weightOf } from "./derivative-index.ts";
import { findDerivative, type StoredDerivative } from "./derivatives.repo.ts";
import { remakeDerivative } from "./discard-derivative.ts";
import { maybeFalse } from "./early-frame.ts";

type ReadDeps = StoreDeps & Pick<Deps, "db" | "jobs" | "log">;

const INDEXES_MAX_BYTES = 24 * 1024 * 1024;

type FindSyntax = (manifestId: string, sopInstanceUID: string) => Promise<string | undefined>;

/**
 * Creates a finder with a bounded cache of indexes. A copy never changes, and one that was deleted is noticed when it is read.
 * @param syntaxOf finds the transfer syntax of an original
 */
export function createDerivativeReader(deps: ReadDeps, syntaxOf: FindSyntax): FindDerivative {
  const opened = new ByteCache<{ derivative: Derivative; weightBytes: number }>(
    INDEXES_MAX_BYTES,
    ({ weightBytes }) => weightBytes,
  );
  const lost = new Set<string>();

  async function giveUp(derivative: StoredDerivative, why: "damaged" | "early"): Promise<undefined> {
    opened.delete(derivative.manifestId);
    if (lost.has(derivative.key)) return undefined;
    lost.add(derivative.key);
    // The original is shown whatever becomes of this.
    await remakeDerivative(deps, derivative, why).catch((error: unknown) =>
      deps.log.warn("derivative.not_remade", describeError(error)),
    );
    lost.delete(derivative.key);
    return undefined;
  }

  async function openIndex(derivative: StoredDerivative): Promise<DerivativeIndex | undefined> {
    const { indexOffset, sizeBytes, indexSha256 } = derivative;
    const range = { offset: indexOffset, length: sizeBytes - indexOffset };
    const isRight = (bytes: Uint8Array) =>
      new Bun.CryptoHasher("sha256").update(bytes).digest("hex") === indexSha256;
    const bytes = await readRight(deps, derivative.key, range, isRight);
    if (bytes === "wrong") return await giveUp(derivative, "damaged");
    return bytes && readable(bytes);
  }

  function describe(derivative: StoredDerivative, index: DerivativeIndex): Derivative {
    const instances = new Map(index.instances.map((instance) => [instance.sopInstanceUID, instance]));
    return {
      version: derivative.key,
      instances,
      async readFrame(sopInstanceUID, frameIndex) {
        const frame = instances.get(sopInstanceUID)?.frames[frameIndex];
        if (!frame) return undefined;
        const isRight = (bytes: Uint8Array) => crc32(bytes) === frame.crc32;
        const bytes = await readRight(deps, derivative.key, frame, isRight);
        if (bytes === "wrong") return await giveUp(derivative, "damaged");
        const findSyntax = () => syntaxOf(derivative.manifestId, sopInstanceUID);
        if (bytes && index.isEarly && (await maybeFalse(bytes, findSyntax)))
          return await giveUp(derivative, "early");
        return bytes && { bytes, prefixLengths: frame.prefixLengths };
      },
    };
  }

  async function open(manifestId: string) {
    const derivative = await findDerivative(deps.db, manifestId);
    const index = derivative && (await openIndex(derivative));
    if (!derivative || !index) return undefined;
    return { derivative: describe(derivative, index), weightBytes: weightOf(index) };
  }

  return async (manifestId) => (await opened.getOrMake(manifestId, () => open(manifestId)))?.derivative;
}

/** The index; `undefined` if a newer release wrote it, which may read it again. */
function readable(bytes: Uint8Array): DerivativeIndex | undefined {
  try {
    return decodeIndex(bytes);
  } catch (error) {
    if (error instanceof DerivativeUnreadable) return undefined;
    throw error;
  }
}

/** Reads a range. `wrong`: its bytes are wrong or gone. `undefined`: the store does not answer, which proves nothing about them. */
async function readRight(
  deps: ReadDeps,
  key: string,
  range: ByteRange,
  isRight: (bytes: Uint8Array) => boolean,
): Promise<Uint8Array | "wrong" | undefined> {
  const object = { key, location: "archive", stagedOn: null } as const;
  try {
    const bytes = await readStored(deps, object, range);
    if (isRight(bytes)) return bytes;
    if (!deps.cache) return "wrong";
    // The wrong bytes may be those of the local copy.
    await deps.cache.dropCopy(key);
    const again = await readStored(deps, object, range);
    return isRight(again) ? again : "wrong";
  } catch (error) {
    if (error instanceof ObjectNotFound) return "wrong";
    if (!(error instanceof StoreUnavailable)) throw error;
    if (error.isRetryable) return undefined;
    // A truncated object lacks the range.
    const kept = await deps.store.stat(key).catch(() => ({ sizeBytes: Number.POSITIVE_INFINITY }));
    return !kept || kept.sizeBytes < range.offset + range.length ? "wrong" : undefined;
  }
}
