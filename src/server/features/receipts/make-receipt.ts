import type { Receipt, ReceiptDigest, ReceivedInstance } from "../../../shared/api/receipts.ts";
import { compareReceived, receiptLine } from "../../../shared/rules/receipt-lines.ts";
import { ManifestTooLarge } from "../../archive/manifest.errors.ts";
import type { Deps } from "../../deps.ts";
import { listVolumes } from "../../holdings/objects/stored-objects.repo.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { studyNotFound } from "../studies/studies.errors.ts";
import { lockStudy } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { hashVolume, type PlacedInstance } from "./hash-volume.ts";
import { encodePayload, receiptOf } from "./receipt-payload.ts";
import { receiptNotReady, receiptTooLarge } from "./receipts.errors.ts";
import { digestManifests, findLastReceipt, keepReceipt, manifestPages } from "./receipts.repo.ts";
import type { ReceiptRow } from "./receipts.table.ts";

export type ReceiptDeps = ObjectDeps & Pick<Deps, "series" | "receiptKeys" | "receiptDesk">;

/** The most instances of a receipt: its JSON is signed as a whole, and so held in memory. */
const MAX_INSTANCES = 100_000;
/** How often a study that changes meanwhile is looked through. */
const MAX_LOOKS = 5;
const RETRY_AFTER_SECONDS = 10;
/** Older receipts of a study are dropped. Whoever has one can still check it. */
const KEPT_RECEIPTS = 20;

type PlacedByVolume = Map<string, PlacedInstance[]>;

/**
 * Makes the receipt of what a study holds now and keeps it. Instances of the last receipt that still lie in the same volumes are not
 * read again.
 * @throws {AppError} `archive.damaged`, `receipt.too_large`, `study.not_found` if the study was deleted meanwhile
 */
export async function makeReceipt(
  deps: ReceiptDeps,
  study: StudyRow,
  signal: AbortSignal,
): Promise<ReceiptRow> {
  const { placed, madeOf } = await placeInstances(deps, study);
  const stored = await listVolumes(deps.db, study.id);
  const volumes = new Map(stored.map((volume) => [volume.id, volume]));
  const known = await knownInstances(deps, study.id, placed);
  const instances: ReceivedInstance[] = [];
  let receivedAt = study.createdAt;
  for (const [volumeId, ofVolume] of placed) {
    const volume = volumes.get(volumeId);
    if (!volume) throw new AppError(archiveDamaged, { detail: "a manifest names a volume that is gone" });
    // The first upload made the study, a few milliseconds before its volume's row.
    const isAdded = volume.uploadId !== stored[0]?.uploadId;
    if (isAdded && volume.createdAt > receivedAt) receivedAt = volume.createdAt;
    instances.push(...(known.get(volumeId) ?? (await hashVolume(deps, volume, ofVolume, signal))));
  }
  const from = study.receivedFrom ?? undefined;
  const receipt = composeReceipt(study, { from, receivedAt, instances: instances.sort(compareReceived) });
  const row = await sign(deps, receipt, {
    studyId: study.id,
    madeOf,
    volumeIds: [...placed.keys()],
  });
  return await deps.db.transaction(async (tx) => {
    if (!(await lockStudy(tx, study.id))) throw new AppError(studyNotFound);
    return await keepReceipt(tx, row, KEPT_RECEIPTS);
  });
}

/**
 * Where the instances of a study lie, by the manifests that `madeOf` identifies: all of one moment, since a study that changes between
 * two pages would have a series twice, or none of it.
 * @throws {AppError} `receipt.too_large`, `receipt.not_ready` if it keeps changing
 */
export async function placeInstances(
  deps: Pick<Deps, "db" | "series">,
  { id }: Pick<StudyRow, "id">,
): Promise<{ placed: PlacedByVolume; madeOf: string }> {
  let madeOf = await digestManifests(deps.db, id);
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const placed = await placeOnce(deps, id);
    const now = await digestManifests(deps.db, id);
    if (now === madeOf) return { placed, madeOf };
    madeOf = now;
  }
  throw new AppError(receiptNotReady, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** @throws {AppError} `receipt.too_large` */
async function placeOnce(
  { db, series }: Pick<Deps, "db" | "series">,
  studyId: string,
): Promise<PlacedByVolume> {
  const placed: PlacedByVolume = new Map();
  let count = 0;
  for await (const object of eachOf(manifestPages(db, studyId))) {
    const { instances, variants = [] } = await series.manifest(object).catch((error) => {
      throw error instanceof ManifestTooLarge ? new AppError(receiptTooLarge, { cause: error }) : error;
    });
    count += instances.length + variants.length;
    if (count > MAX_INSTANCES) throw new AppError(receiptTooLarge);
    for (const instance of [...instances, ...variants]) {
      const { volumeId, sopInstanceUID, dataOffset, storedBytes, sizeBytes, method, crc32 } = instance;
      const { contentHash, formerVolumeIds } = instance;
      const ofVolume = placed.get(volumeId) ?? [];
      placed.set(volumeId, ofVolume);
      ofVolume.push({
        sopInstanceUID,
        dataOffset,
        storedBytes,
        sizeBytes,
        method,
        crc32,
        ...(contentHash !== undefined && { contentHash }),
        ...(formerVolumeIds && { formerVolumeIds }),
      });
    }
  }
  return placed;
}

async function* eachOf<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const page of pages) yield* page;
}

/** What the last receipt says of the volumes that it was made of, each only if it says everything about it. */
async function knownInstances(
  deps: Pick<Deps, "db">,
  studyId: string,
  placed: PlacedByVolume,
): Promise<Map<string, ReceivedInstance[]>> {
  const known = new Map<string, ReceivedInstance[]>();
  const last = await findLastReceipt(deps.db, studyId);
  if (!last) return known;
  // Two instances under one UID can't be told apart by it, so they are read again.
  const byUID = onlyOnes((await receiptOf(last)).instances);
  const places = onlyOnes([...placed.values()].flat());
  for (const volumeId of last.volumeIds) {
    const received = placed.get(volumeId)?.map(({ sopInstanceUID, sizeBytes }) => {
      const said = places.get(sopInstanceUID) && byUID.get(sopInstanceUID);
      return said?.sizeBytes === sizeBytes ? said : undefined;
    });
    if (received?.every((instance) => instance !== undefined)) known.set(volumeId, received);
  }
  return known;
}

/** By SOP Instance UID, those whose UID no other has. */
function onlyOnes<Item extends { sopInstanceUID: string }>(items: readonly Item[]): Map<string, Item> {
  const found = new Map<string, Item | undefined>();
  for (const item of items) {
    const { sopInstanceUID } = item;
    found.set(sopInstanceUID, found.has(sopInstanceUID) ? undefined : item);
  }
  return new Map([...found].flatMap(([uid, item]) => (item ? [[uid, item] as const] : [])));
}

/** `instances` are in the order of a receipt. */
export function composeReceipt(
  study: StudyRow,
  {
    from,
    receivedAt,
    instances,
  }: { from: string | undefined; receivedAt: Date; instances: ReceivedInstance[] },
): Receipt {
  const root = new Bun.CryptoHasher("sha256");
  for (const instance of instances) root.update(receiptLine(instance));
  return {
    version: 1,
    studyInstanceUID: study.studyInstanceUID,
    receivedAt: receivedAt.toISOString(),
    ...(from !== undefined && { from }),
    instances,
    root: root.digest("hex"),
  };
}

export async function sign(
  { receiptKeys, clock }: Pick<Deps, "receiptKeys" | "clock">,
  receipt: Receipt,
  made: Pick<ReceiptRow, "studyId" | "madeOf" | "volumeIds">,
): Promise<ReceiptRow> {
  const { receivedAt, from, instances, root } = receipt;
  const sizeBytes = instances.reduce((sum, instance) => sum + instance.sizeBytes, 0);
  const digest: ReceiptDigest = {
    version: 1,
    receivedAt,
    ...(from !== undefined && { from }),
    images: instances.length,
    sizeBytes,
    root,
  };
  const payload = Buffer.from(JSON.stringify(receipt));
  const [header = "", , signature = ""] = (await receiptKeys.sign(payload)).split(".");
  return {
    ...made,
    id: Bun.randomUUIDv7(),
    receivedAt: new Date(receivedAt),
    receivedFrom: from ?? null,
    root,
    instanceCount: instances.length,
    sizeBytes,
    payload: await encodePayload(payload),
    detachedJws: `${header}..${signature}`,
    digestJws: await receiptKeys.sign(Buffer.from(JSON.stringify(digest))),
    createdAt: clock.now(),
  };
}
