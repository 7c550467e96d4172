import { AppError } from "../../http/app-error.ts";
import type { Recheck } from "../../http/while-allowed.ts";
import type { TakenUpload } from "../ingest/finished-upload.ts";
import { uploadTooLarge, uploadWithoutDicom } from "../ingest/ingest.errors.ts";
import { declaredLengthOf } from "../ingest/ingest-upload.ts";
import { formatSize } from "../ingest/receive-upload.ts";
import { type IngestDeps, type Sender, takeUpload } from "../ingest/take-upload.ts";
import type { NamedInstance, ScanResult, SkippedReason } from "../ingest/worker/worker-messages.ts";
import { nothingToStore } from "./exchange.errors.ts";
import { MAX_INSTANCES, type ReceivedInstances, receiveInstances } from "./receive-instances.ts";
import { type StoredInstance, type StoreOutcome, storeAnswer } from "./store-answer.ts";

export interface StoreRequest {
  request: Request;
  /** The study that all instances must belong to, if the request names one. */
  studyInstanceUID: string | undefined;
  /** The address of DICOMweb, which answers name instances by. */
  baseUrl: string;
  /** Asks whether the sender may still store. @throws {AppError} */
  recheck: Recheck;
}

/**
 * Stores the instances of a request (STOW-RS, PS3.18 §10.5) as an upload: all that can be kept are durable and visible when this
 * answers, and the others are named with their reasons. Over quota nothing is kept, and nothing if the sender's access ended before.
 * @throws {AppError} as `recheck` does; `upload.*`, `quota.*`, `subscription.required`, `storage.full`, `store.*`
 */
export async function storeInstances(
  deps: IngestDeps,
  sender: Sender,
  { request, studyInstanceUID, baseUrl, recheck }: StoreRequest,
): Promise<StoreOutcome> {
  const { maxUploadBytes: maxBytes } = deps.config;
  const { slot } = sender;
  const lengthBytes = declaredLengthOf(request);
  if (lengthBytes > maxBytes)
    throw new AppError(uploadTooLarge, { values: { maximum: formatSize(maxBytes) } });
  let received: ReceivedInstances | undefined;
  const taken = await takeAny(deps, sender, {
    lengthBytes,
    recheck,
    signal: request.signal,
    limits: {
      maxSkippedNames: MAX_INSTANCES,
      maxDuplicateNames: MAX_INSTANCES,
      maxNamedInstances: MAX_INSTANCES,
      ...(studyInstanceUID !== undefined && { onlyStudyUID: studyInstanceUID }),
    },
    async spool(path, room) {
      const onReceived = (bytes: number) => {
        slot.countReceived(bytes);
        room.countReceived(bytes);
      };
      received = await receiveInstances(
        request,
        path,
        { maxBytes, room },
        { signal: slot.signal, onReceived },
      );
      if (received.names.length === 0) throw new AppError(nothingToStore);
      return { metadata: {}, sizeBytes: received.sizeBytes };
    },
  });
  const instances = outcomesOf(received?.names ?? [], taken);
  return storeAnswer(instances, { baseUrl, studyInstanceUID });
}

/** What remains of a request without an instance that could be taken. */
type NothingTaken = Pick<ScanResult, "skipped" | "named">;

async function takeAny(...args: Parameters<typeof takeUpload>): Promise<TakenUpload | NothingTaken> {
  try {
    return await takeUpload(...args);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== uploadWithoutDicom) throw error;
    const { skipped = [], named = [] } = (error.options.members ?? {}) as Partial<NothingTaken>;
    return { skipped, named };
  }
}

/** What became of each instance, in the order of the parts. */
function outcomesOf(names: string[], taken: TakenUpload | NothingTaken): StoredInstance[] {
  const scan = "scan" in taken ? taken.scan : taken;
  const built = "built" in taken ? taken.built.studies : [];
  const identities = new Map<string, NamedInstance>(scan.named?.map((named) => [named.name, named]));
  const failures = new Map<string, SkippedReason>();
  const leftOut = built.flatMap((study) => study.leftOut);
  for (const { name, reason } of [...scan.skipped, ...leftOut]) failures.set(name, reason);
  const conflicts = new Set(built.flatMap((study) => study.conflicts.map(({ name }) => name)));
  return names.map((name) => ({
    identity: identities.get(name),
    failure: failures.get(name),
    isConflict: conflicts.has(name),
  }));
}
