import type { Locale } from "../../../shared/locale.ts";
import { volumeFolder } from "../../archive/volume-name.ts";
import { ZipStream } from "../../archive/zip-stream.ts";
import type { Deps } from "../../deps.ts";
import { isDamage } from "../../holdings/checking/find-lost.ts";
import { listVolumes } from "../../holdings/objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { type ObjectDeps, readObject, streamObject } from "../../holdings/reading/open-object.ts";
import { translate } from "../../http/translate.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { labObject } from "../labs/lab-object.ts";
import { listAllLabExams } from "../labs/labs.repo.ts";
import { presentLabExam } from "../labs/present-lab-exam.ts";
import { signedReceipt } from "../receipts/receipt-payload.ts";
import { findNextReceipt } from "../receipts/receipts.repo.ts";
import { listUnpurgedRemovals } from "../removals/removals.repo.ts";
import type { RemovalRow } from "../removals/removals.table.ts";
import { findReport } from "../reports/reports.repo.ts";
import { listGrants, listSeries, listStudiesAfter } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { listSupportMessages, type SupportMessageRow } from "../support/support.repo.ts";
import { type AccountAuditRow, listAccountAudit } from "./account-audit.repo.ts";
import { DamagedParts } from "./damaged-parts.ts";
import { describeAccount } from "./describe-account.ts";

type ExportDeps = ObjectDeps & Pick<Deps, "config">;

const STUDIES_AT_ONCE = 100;
const MESSAGES_AT_ONCE = 5;
const MAX_ROWS = 10_000;

const readMe = /*i18n*/ {
  id: "export.readMe",
  message:
    'This is everything {productName} keeps for your account.\n\naccount.json: your data, subscription, payments and activities.\nexams.json: your exams; "folders" says where in DICOM/ the images of each lie, "removal" until when a cancelled one is kept.\nDICOM/: the images, exactly as you sent them. Any DICOM viewer opens the folder.\nreports/: the PDF report of an exam, named by the exam\'s id.\nreceipts/: the signed receipts of an exam, named by its id; {verifyUrl} checks the images with them.\nlab/: your laboratory PDFs.\ndamaged.json: there only if something is damaged in our archive or missing from it and is therefore left out; it says what.\nsupport.json and support/: what you wrote to support.\naudit.json: who saw or changed what, and when.\n',
};

/**
 * Everything that an account stores, as one ZIP that is made while it is sent: images bit for bit, PDFs, and the database's
 * rows as JSON. Memory: one PDF (50 MB at most) and some 100 bytes per instance.
 */
export async function* exportAccount(
  deps: ExportDeps,
  userId: string,
  locale: Locale,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream();
  const { productName, publicUrl } = deps.config;
  yield* zip.file(
    locale === "pt-BR" ? "LEIA-ME.txt" : "README.txt",
    text(translate(locale, readMe, { productName, verifyUrl: `${publicUrl}/verificar` })),
  );
  yield* zip.file("account.json", json(await describeAccount(deps, userId)));
  yield* exportSupport(deps, zip, userId);
  const removals = await listUnpurgedRemovals(deps.db, userId);
  const damaged = new DamagedParts();
  const exams: unknown[] = [];
  let after: string | null = null;
  for (;;) {
    const rows: StudyRow[] = await listStudiesAfter(deps.db, userId, after, STUDIES_AT_ONCE);
    for (const study of rows) {
      const entry = yield* exportStudy(deps, zip, study, damaged);
      exams.push({ ...entry, removal: presentRemoval(removals, study) });
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < STUDIES_AT_ONCE) break;
  }
  const labs: unknown[] = [];
  for (const exam of await listAllLabExams(deps.db, userId)) {
    const file = `lab/${exam.id}.pdf`;
    const pdf = await damaged.readOrRecord({ laboratory: exam.id, file }, readObject(deps, labObject(exam)));
    if (pdf) yield* zip.file(file, pdf);
    labs.push({ ...presentLabExam(exam), file: pdf ? file : null, removal: presentRemoval(removals, exam) });
  }
  yield* zip.file("exams.json", json({ studies: exams, laboratory: labs }));
  yield* exportAudit(deps, zip, userId);
  if (damaged.parts.length > 0) yield* zip.file("damaged.json", json(damaged.parts));
  yield* zip.end();
}

/** When a cancellation hid the exam, and until when an admin can restore it; null if it is not hidden. */
function presentRemoval(removals: Map<string, RemovalRow>, { removalId }: { removalId: string | null }) {
  const removal = removalId === null ? undefined : removals.get(removalId);
  return removal ? { removedAt: removal.createdAt, purgedAfter: removal.purgeAfter } : null;
}

async function* exportSupport(deps: ExportDeps, zip: ZipStream, userId: string): AsyncGenerator<Uint8Array> {
  const messages: unknown[] = [];
  let after: string | null = null;
  for (;;) {
    const rows: SupportMessageRow[] = await listSupportMessages(deps.db, userId, after, MESSAGES_AT_ONCE);
    for (const { id, userName, userEmail, subject, message, image, imageType, createdAt } of rows) {
      const file = image && `support/${id}.${imageType?.split("/")[1] ?? "bin"}`;
      if (image && file) yield* zip.file(file, image);
      messages.push({ createdAt, userName, userEmail, subject, message, image: file });
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < MESSAGES_AT_ONCE) break;
  }
  yield* zip.file("support.json", json(messages));
}

/**
 * Sends the audit, newest first, in files of at most {@link MAX_ROWS} rows, so that all rows are included and no file is too
 * large for memory.
 */
async function* exportAudit(deps: ExportDeps, zip: ZipStream, userId: string): AsyncGenerator<Uint8Array> {
  let before: number | null = null;
  for (let part = 1; ; part++) {
    const rows: AccountAuditRow[] = await listAccountAudit(deps.db, userId, before, MAX_ROWS);
    if (part > 1 && rows.length === 0) break;
    const events = rows.map(({ id: _, ...row }) => row);
    yield* zip.file(part === 1 ? "audit.json" : `audit-${part}.json`, json(events));
    before = rows.at(-1)?.id ?? null;
    if (rows.length < MAX_ROWS) break;
  }
}

/** Sends a study's volumes and report. Returns its entry for `exams.json`. */
async function* exportStudy(
  deps: ExportDeps,
  zip: ZipStream,
  study: StudyRow,
  damaged: DamagedParts,
): AsyncGenerator<Uint8Array, object> {
  const exam = { study: study.id, studyInstanceUID: study.studyInstanceUID };
  const volumes = await listVolumes(deps.db, study.id);
  for (const volume of volumes) yield* exportVolume(deps, zip, volume, { exam, damaged });
  const report = await findReport(deps.db, study.id);
  let reportFile = report ? `reports/${study.id}.pdf` : null;
  if (report && reportFile) {
    const pdf = await damaged.readOrRecord({ ...exam, file: reportFile }, readObject(deps, report.object));
    if (pdf) yield* zip.file(reportFile, pdf);
    else reportFile = null;
  }
  const receiptFiles = yield* exportReceipts(deps, zip, study.id);
  const { id, studyInstanceUID, patientName, patientID, patientBirthDate, patientSex, accessionNumber } =
    study;
  const { description, studyDate, studyTime, institutionName, modality, createdAt } = study;
  const series = await listSeries(deps.db, id);
  return {
    ...{ id, studyInstanceUID, patientName, patientID, patientBirthDate, patientSex, accessionNumber },
    ...{ description, studyDate, studyTime, institutionName, modality, createdAt },
    folders: volumes.map((volume) => volumeFolder(volume.id)),
    report: reportFile,
    receipts: receiptFiles,
    series: series.map(({ seriesInstanceUID, seriesNumber, description, modality, instanceCount }) => {
      return { seriesInstanceUID, seriesNumber, description, modality, instanceCount };
    }),
    sharedWith: (await listGrants(deps.db, id)).map(({ name, email, createdAt }) => ({
      name,
      email,
      createdAt,
    })),
  };
}

/** Sends the receipts that were given for a study, and returns their files. */
async function* exportReceipts(
  { db }: Pick<ExportDeps, "db">,
  zip: ZipStream,
  studyId: string,
): AsyncGenerator<Uint8Array, string[]> {
  const files: string[] = [];
  for (let last: string | undefined; ; ) {
    const receipt = await findNextReceipt(db, studyId, last);
    if (!receipt) return files;
    last = receipt.id;
    const file = `receipts/${studyId}-${files.length + 1}.json`;
    yield* zip.file(file, ...(await Array.fromAsync(signedReceipt(receipt))));
    files.push(file);
  }
}

/** Sends a volume. Only the images that cannot be read as they were stored are left out. */
async function* exportVolume(
  deps: ExportDeps,
  zip: ZipStream,
  volume: StoredObjectRow,
  { exam, damaged }: { exam: object; damaged: DamagedParts },
): AsyncGenerator<Uint8Array> {
  const part = { ...exam, file: volumeFolder(volume.id) };
  const streamed = {
    id: volume.id,
    sizeBytes: volume.sizeBytes,
    read: (range: ByteRange) => readObject(deps, volume, range),
    open: (range: ByteRange) => streamObject(deps, volume, range),
  };
  let found: unknown;
  const isFound = (error: unknown) => {
    found = error;
    return isDamage(error);
  };
  try {
    const leftOut = yield* zip.volume(streamed, isFound);
    if (leftOut.length > 0) damaged.add(part, found, leftOut);
  } catch (error) {
    if (!isDamage(error)) throw error;
    damaged.add(part, error);
  }
}

function json(value: unknown): Uint8Array {
  return text(`${JSON.stringify(value, null, 2)}\n`);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
