import type { Locale } from "../../../shared/locale.ts";
import { ZipStream } from "../../archive/zip-stream.ts";
import type { Deps } from "../../deps.ts";
import { Dicomdir } from "../../dicom/dicomdir.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { type ObjectDeps, readObject, streamObject } from "../../holdings/reading/open-object.ts";
import { answerNobody } from "../../http/answer-nobody.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged, validationFailed } from "../../http/http.errors.ts";
import type { Session } from "../../http/session.ts";
import { streamOf } from "../../http/stream-of.ts";
import { streamWhileAllowed } from "../../http/while-allowed.ts";
import type { AssetSource } from "../../render/assets.ts";
import { type AheadRead, readAhead, SMALL_AHEAD } from "../../runtime/read-ahead.ts";
import type { ReceiptDeps } from "../receipts/make-receipt.ts";
import { receiptOfStudy } from "../receipts/read-receipt.ts";
import { drawReceipts } from "../receipts/receipt-paper.ts";
import { signedReceipt } from "../receipts/receipt-payload.ts";
import { receiptTooLarge } from "../receipts/receipts.errors.ts";
import { digestManifests, digestOf } from "../receipts/receipts.repo.ts";
import type { ReceiptRow } from "../receipts/receipts.table.ts";
import { findReport } from "../reports/reports.repo.ts";
import { owns } from "../studies/access/study-access.ts";
import { type DownloadRight, tryVolumes, zipHeaders } from "../studies/download/download-body.ts";
import type { StudyFile } from "../studies/download/download-study.ts";
import { studyNotFound } from "../studies/studies.errors.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { SeriesRow, StudyRow } from "../studies/studies.table.ts";
import { listStudyAudit } from "../studies/study-audit.repo.ts";
import { findContents } from "../studies/study-contents.repo.ts";
import { findSeriesThumbnail, type Thumbnail } from "../thumbnails/thumbnails.repo.ts";
import { readDiscPage } from "./disc-page.ts";
import { encapsulateReport, reportElements, uidOfUuid } from "./encapsulate-report.ts";
import { indexPageOf, readMeOf } from "./media-pages.ts";
import { type CopiedFile, PackedFiles } from "./packed-files.ts";
import { part10Entry } from "./part10-entry.ts";
import { bySeriesNumber, type MediaPlan, planMedia, variantFiles } from "./plan-media.ts";

type MediaDeps = ReceiptDeps & Pick<Deps, "config" | "searchTurns"> & { assets: AssetSource };
type FoundReport = Awaited<ReturnType<typeof findReport>>;

export const FILE_SET_ID = "EXAMETECA";
const MAX_AUDIT_ROWS = 10_000;
const MAX_PREVIEWS = 24;
/** How often a study that changes meanwhile is planned. */
const MAX_LOOKS = 3;

/** Who asks for a medium, and how. */
interface AskedMedium {
  caller: Caller & Pick<Session, "isTrial">;
  locale: Locale;
  isHead: boolean;
  /** The request's: a caller who left waits no longer, and is not charged. */
  signal: AbortSignal;
}

/** What a medium is made of. */
interface Medium {
  study: StudyRow;
  volumes: StoredObjectRow[];
  directory: Dicomdir;
  files: PackedFiles;
  report: FoundReport;
  laudo: ReturnType<typeof describeReport> | undefined;
  receipt: ReceiptRow | undefined;
  isOwner: boolean;
  locale: Locale;
}

/**
 * Answers a study as an IHE PDI file-set, made while it is sent: the images as they are kept, a DICOMDIR, other instances under an
 * image's UID beside it, the laudo, the receipt and, for the owner, the audit. Memory: the DICOMDIR, and one PDF. Planning takes more
 * for a moment, so media take turns at it with searches.
 * @throws {AppError} `media.too_large`, `archive.damaged`, `receipt.not_ready`; 503 with Retry-After if too many wait; as `charge`
 * does, before the first byte
 */
export async function answerMedia(
  deps: MediaDeps,
  { caller, locale, isHead, signal }: AskedMedium,
  file: StudyFile,
  { charge, recheck }: DownloadRight,
): Promise<Response> {
  const [study, another] = file.studies;
  // A ticket may be for several studies; a medium is of one.
  if (!study || another) throw new AppError(validationFailed);
  const headers = zipHeaders(file.fileName.replace(/_HIS\.zip$/, "_PDI.zip"));
  if (isHead) return new Response(null, { headers });
  if (isUnsound(study)) throw new AppError(archiveDamaged);
  const { rows, ...prepared } = await prepareWithReceipt(deps, caller, study, signal);
  const medium: Medium = { study, locale, isOwner: owns(caller, study), ...prepared };
  const page = indexPageOf(study, rows, {
    report: medium.report !== undefined,
    receipt: medium.receipt !== undefined,
    previews: await findPreviews(deps, study, rows),
    discPage: await readDiscPage(deps.assets),
  });
  // What can't be read fails before it is charged.
  await tryVolumes(deps, medium.volumes.slice(0, 1));
  if (signal.aborted) return answerNobody();
  await charge({ isRange: false });
  return new Response(streamWhileAllowed(streamOf(mediaPieces(deps, medium, page)), recheck), { headers });
}

/**
 * What a medium holds, with the receipt of exactly that. An upload may come while either is made. A study that changes faster than it is
 * planned has a medium without a receipt.
 */
async function prepareWithReceipt(
  deps: MediaDeps,
  { userId: callerId, isTrial }: Caller & Pick<Session, "isTrial">,
  study: StudyRow,
  signal: AbortSignal,
) {
  for (let looks = 1; ; looks++) {
    const { manifestIds, ...prepared } = await deps.searchTurns.run(
      { callerId, isTrial },
      () => prepare(deps, study),
      signal,
    );
    const madeOf = digestOf(manifestIds);
    // One of other images would take the place of an earlier one that somebody has.
    if ((await digestManifests(deps.db, study.id)) === madeOf) {
      const receipt = await receiptIfAny(deps, study);
      if (!receipt || receipt.madeOf === madeOf) return { ...prepared, receipt };
    }
    if (looks === MAX_LOOKS) return { ...prepared, receipt: undefined };
  }
}

/** What a medium holds, packed as long as it is sent. */
async function prepare(
  deps: Pick<Deps, "db" | "series">,
  study: StudyRow,
): Promise<
  Omit<Medium, "study" | "receipt" | "isOwner" | "locale"> & { rows: SeriesRow[]; manifestIds: string[] }
> {
  const { series, volumes } = await findContents(deps.db, study.id);
  if (volumes.length === 0) throw new AppError(studyNotFound);
  const report = await findReport(deps.db, study.id);
  const plan = await planMedia(deps, study, series);
  const laudo = report && describeReport(plan, report);
  const directory = new Dicomdir();
  await directory.add(plan.patient);
  const files = [...plan.files, ...variantFiles(plan, "IHE_PDI/")];
  const rows = series.map(({ row }) => row).toSorted(bySeriesNumber);
  const manifestIds = series.map(({ manifest }) => manifest.id);
  return { directory, files: await PackedFiles.of(files), report, laudo, volumes, rows, manifestIds };
}

/** Small pictures of the first series. */
async function findPreviews(
  deps: Pick<Deps, "db">,
  study: StudyRow,
  rows: readonly SeriesRow[],
): Promise<Map<string, Thumbnail>> {
  const previews = new Map<string, Thumbnail>();
  for (const { id } of rows.slice(0, MAX_PREVIEWS)) {
    const found = await findSeriesThumbnail(deps.db, study.id, id);
    if (found !== "unknown" && found.thumbnail) previews.set(id, found.thumbnail);
  }
  return previews;
}

async function receiptIfAny(deps: MediaDeps, study: StudyRow): Promise<ReceiptRow | undefined> {
  try {
    return await receiptOfStudy(deps, study);
  } catch (error) {
    if (error instanceof AppError && error.kind === receiptTooLarge) return undefined;
    throw error;
  }
}

async function* mediaPieces(deps: MediaDeps, medium: Medium, page: Uint8Array[]): AsyncGenerator<Uint8Array> {
  const { directory, files, study, report, volumes, isOwner } = medium;
  const zip = new ZipStream();
  // Read first, since a medium may take hours: its directory names the laudo, which somebody may delete meanwhile.
  let pdf = report && (await readObject(deps, report.object));
  const encoded = directory.encode(FILE_SET_ID, uidOfUuid(Bun.randomUUIDv7()));
  yield* zip.file("DICOMDIR", ...(await Array.fromAsync(encoded)));
  yield* zip.file("INDEX.HTM", ...page);
  yield* zip.file("README.TXT", readMeOf(deps.config));
  const byId = new Map(volumes.map((volume) => [volume.id, volume]));
  for await (const { item, result } of openedImages(deps, files, byId)) {
    yield* imageFile(zip, item, await result);
    // After the first image: some programs describe the exam by its first instance, and a laudo says less of it.
    yield* laudoFiles(zip, medium, pdf);
    pdf = undefined;
  }
  yield* laudoFiles(zip, medium, pdf);
  yield* receiptFiles(deps, zip, medium);
  if (isOwner) {
    const rows = await listStudyAudit(deps.db, study.id, MAX_AUDIT_ROWS);
    yield* zip.file("IHE_PDI/AUDIT.JSN", Buffer.from(`${JSON.stringify(rows, null, 2)}\n`));
  }
  yield* zip.end();
}

function* laudoFiles(zip: ZipStream, { laudo }: Medium, pdf: Uint8Array | undefined): Generator<Uint8Array> {
  if (!laudo || !pdf) return;
  yield* zip.file(laudo.name, ...encapsulateReport(laudo.elements, pdf));
  yield* zip.file("IHE_PDI/LAUDO.PDF", pdf);
}

/** The laudo's elements, and the name of its file in the plan. */
export function describeReport(plan: MediaPlan, { report, object }: NonNullable<FoundReport>) {
  const { id: objectId, sizeBytes } = object;
  const elements = reportElements(plan.about, { objectId, sizeBytes, attachedAt: report.createdAt });
  return { elements, name: plan.addReport(elements) };
}

/**
 * Files, each with its bytes in its volume. The next small ones are opened meanwhile: each waits for the store.
 * @throws {AppError} `archive.damaged`, as the result of a file
 */
export function openedImages<File extends CopiedFile>(
  deps: ObjectDeps,
  files: Iterable<File> | AsyncIterable<File>,
  volumes: ReadonlyMap<string, StoredObjectRow>,
): AsyncGenerator<AheadRead<File, ReadableStream<Uint8Array>>> {
  const open = async ({ instance }: File) => {
    const volume = volumes.get(instance.volumeId);
    if (!volume) throw new AppError(archiveDamaged, { detail: "a manifest names a volume that is gone" });
    const range = { offset: instance.dataOffset, length: instance.storedBytes };
    return await streamObject(deps, volume, range, { entry: instance });
  };
  return readAhead(files, open, {
    ...SMALL_AHEAD,
    bytesOf: ({ instance }) => instance.storedBytes,
    discard: (stream) => stream.cancel(),
  });
}

/** One instance, copied from its volume. One that a directory names is a file of PS3.10 whatever it came as. */
export async function* imageFile(
  zip: ZipStream,
  { name, instance }: CopiedFile,
  stored: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { storedBytes, sizeBytes, method, crc32 } = instance;
  if (!("transferSyntaxUID" in instance))
    return yield* zip.entry({ name, storedBytes, sizeBytes, method, crc32 }, stored);
  const { entry, body } = await part10Entry(name, instance, stored);
  yield* zip.entry(entry, body);
}

async function* receiptFiles(
  deps: MediaDeps,
  zip: ZipStream,
  { study, receipt, locale }: Medium,
): AsyncGenerator<Uint8Array> {
  if (!receipt) return;
  yield* zip.file(
    "IHE_PDI/RECIBO.PDF",
    await drawReceipts({ receipts: [{ study, receipt }] }, { ...deps.config, locale }),
  );
  yield* zip.file("IHE_PDI/RECIBO.JSN", ...(await Array.fromAsync(signedReceipt(receipt))));
}
