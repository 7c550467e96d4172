import { crc32 } from "node:zlib";
import type { Locale } from "../../../shared/locale.ts";
import { ZipStream } from "../../archive/zip-stream.ts";
import { Dicomdir } from "../../dicom/dicomdir.ts";
import { readObject } from "../../holdings/reading/open-object.ts";
import { streamOf } from "../../http/stream-of.ts";
import { translate } from "../../http/translate.ts";
import { shownIndexOf } from "../ingest/study-index.ts";
import { labObject } from "../labs/lab-object.ts";
import { type LabExamRow, listLabExamsBefore } from "../labs/labs.repo.ts";
import { presentLabExam } from "../labs/present-lab-exam.ts";
import { FILE_SET_ID } from "../media/answer-media.ts";
import { readDiscPage } from "../media/disc-page.ts";
import { uidOfUuid } from "../media/encapsulate-report.ts";
import { listUnpurgedRemovals } from "../removals/removals.repo.ts";
import type { RemovalRow } from "../removals/removals.table.ts";
import { findReport } from "../reports/reports.repo.ts";
import { listGrants, listSeries, listStudiesAfter } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { findContents, type StudyContents } from "../studies/study-contents.repo.ts";
import { listUsageEvents } from "../subscriptions/usage-events.repo.ts";
import { listSupportMessages, type SupportMessageRow } from "../support/support.repo.ts";
import { listAccountAudit } from "./account-audit.repo.ts";
import { accountPageOf, type ListedExam, type ListedLabExam } from "./account-page.ts";
import { DamagedParts } from "./damaged-parts.ts";
import { describeAccount, describeUsage, MAX_ROWS } from "./describe-account.ts";
import type { ExportDeps } from "./export-deps.ts";
import { exportImages } from "./export-images.ts";
import { exportReceipts } from "./export-receipts.ts";
import { jsonOfLists } from "./json-of-lists.ts";

const EXAMS_AT_ONCE = 100;
const MESSAGES_AT_ONCE = 5;

/** What the exams of an export have in common. */
interface ExportParts {
  damaged: DamagedParts;
  directory: Dicomdir;
  locale: Locale;
  /** How many exams have a folder below `DICOM/` already. */
  folderCount: number;
}

/** IHE PDI asks for the English name; people look for theirs. */
const README: Record<Locale, string[]> = { "pt-BR": ["LEIA-ME.txt", "README.TXT"], "en-US": ["README.txt"] };

const readMe = /*i18n*/ {
  id: "export.readMe",
  message:
    'This is everything {productName} keeps for your account.\n\nDICOMDIR and DICOM/: the images, bit for bit as they were received, and the reports as documents among them. Any DICOM viewer opens this folder by DICOMDIR. Files that came without the header of a DICOM file have one here.\nINDEX.HTM: your exams on a page that shows the images too; open it in a browser, without the internet if you like.\naccount.json: your data, subscription, payments and activities.\nexams.json: your exams; "folders" says where in DICOM/ the images of each lie, "removal" until when a cancelled one is kept.\nreports/: the PDF report of an exam, named by the exam\'s id.\nreceipts/: the signed receipts of an exam, named by its id; {verifyUrl} checks the images with them.\nlab/: your laboratory PDFs.\ndamaged.json: there only if something is damaged in our archive, missing from it or was deleted meanwhile, and is therefore left out; it says what.\nsupport.json and support/: what you wrote to support.\naudit.json: who saw or changed what, and when.\naudit-2.json, usage-2.json and so on: there only if there is more than one file holds of what was seen or changed, or of your activities.\n\nNot for primary diagnosis.\n',
};

/**
 * Everything that an account stores, as one ZIP that is made while it is sent: images bit for bit, PDFs, and the database's
 * rows as JSON. Memory: one PDF (50 MB at most) and some 130 bytes per instance.
 */
export async function* exportAccount(
  deps: ExportDeps,
  userId: string,
  locale: Locale,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream();
  // Before the first byte, so that a database that is away is told instead of a ZIP that breaks off.
  const account = json(await describeAccount(deps, userId));
  const { productName, publicUrl } = deps.config;
  const about = text(translate(locale, readMe, { productName, verifyUrl: `${publicUrl}/verificar` }));
  for (const name of README[locale]) yield* zip.file(name, about);
  yield* zip.file("account.json", account);
  yield* exportUsage(deps, zip, userId);
  yield* exportSupport(deps, zip, userId);
  const removals = await listUnpurgedRemovals(deps.db, userId);
  const parts = { damaged: new DamagedParts(), directory: new Dicomdir(), locale, folderCount: 0 };
  const { damaged, directory } = parts;
  const exams: ListedExam[] = [];
  let after: string | null = null;
  for (;;) {
    const rows: StudyRow[] = await listStudiesAfter(deps.db, userId, after, EXAMS_AT_ONCE);
    for (const study of rows) {
      const contents = await findContents(deps.db, study.id);
      // It was deleted while those before it were sent.
      if (contents.volumes.length === 0) continue;
      const entry = yield* exportStudy(deps, zip, { study, contents }, parts);
      const exam = { ...entry, removal: presentRemoval(removals, study) };
      exams.push(exam);
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < EXAMS_AT_ONCE) break;
  }
  const labs: ListedLabExam[] = [];
  for await (const exam of eachLabExam(deps, userId)) {
    const file = `lab/${exam.id}.pdf`;
    const pdf = await damaged.readOrRecord({ laboratory: exam.id, file }, readObject(deps, labObject(exam)));
    if (pdf) yield* zip.file(file, pdf);
    const entry = { ...presentLabExam(exam), file: pdf ? file : null };
    const lab = { ...entry, removal: presentRemoval(removals, exam) };
    labs.push(lab);
  }
  const listed = { studies: exams, laboratory: labs };
  yield* exportLists(zip, "exams.json", { ...listed });
  yield* exportAudit(deps, zip, userId);
  const encoded = directory.encode(FILE_SET_ID, uidOfUuid(Bun.randomUUIDv7()));
  yield* zip.file("DICOMDIR", ...(await Array.fromAsync(encoded)));
  const discPage = await readDiscPage(deps.assets);
  yield* zip.file("INDEX.HTM", ...(await accountPageOf(listed, { locale, discPage })));
  if (damaged.parts.length > 0) yield* zip.file("damaged.json", json(damaged.parts));
  yield* zip.end();
}

/** Sends long lists as one file. They are written twice, since the file's size and checksum stand before it. */
async function* exportLists(
  zip: ZipStream,
  name: string,
  lists: Record<string, readonly object[]>,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  let checksum = 0;
  for await (const piece of jsonOfLists(lists)) {
    sizeBytes += piece.length;
    checksum = crc32(piece, checksum);
  }
  const entry = { name, method: 0 as const, crc32: checksum, storedBytes: sizeBytes, sizeBytes };
  yield* zip.entry(entry, streamOf(jsonOfLists(lists)));
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

async function* exportAudit(deps: ExportDeps, zip: ZipStream, userId: string): AsyncGenerator<Uint8Array> {
  yield* exportRows(zip, "audit", {
    pageBefore: (before) => listAccountAudit(deps.db, userId, before, MAX_ROWS),
    describe: ({ id: _, ...event }) => event,
  });
}

/** Sends the activities before the newest ones, which account.json has. */
async function* exportUsage(deps: ExportDeps, zip: ZipStream, userId: string): AsyncGenerator<Uint8Array> {
  yield* exportRows(zip, "usage", {
    firstPart: 2,
    pageBefore: (before) => listUsageEvents(deps.db, userId, MAX_ROWS, before),
    describe: describeUsage,
  });
}

interface RowFiles<Row> {
  pageBefore(beforeId: number | null): Promise<Row[]>;
  describe(row: Row): object;
  /** The first file to send; another one has the rows before. */
  firstPart?: number;
}

/**
 * Sends rows, newest first, in files of at most {@link MAX_ROWS}, so that all rows are included and no file is too large for
 * memory: `name.json`, `name-2.json` and so on.
 */
async function* exportRows<Row extends { id: number }>(
  zip: ZipStream,
  name: string,
  { pageBefore, describe, firstPart = 1 }: RowFiles<Row>,
): AsyncGenerator<Uint8Array> {
  let before: number | null = null;
  for (let part = 1; ; part++) {
    const rows = await pageBefore(before);
    if (part > 1 && rows.length === 0) break;
    if (part >= firstPart)
      yield* zip.file(part === 1 ? `${name}.json` : `${name}-${part}.json`, json(rows.map(describe)));
    before = rows.at(-1)?.id ?? null;
    if (rows.length < MAX_ROWS) break;
  }
}

/** The account's laboratory PDFs, newest first. */
async function* eachLabExam(deps: ExportDeps, userId: string): AsyncGenerator<LabExamRow> {
  let before: string | undefined;
  for (;;) {
    const exams: LabExamRow[] = await listLabExamsBefore(deps.db, userId, before, EXAMS_AT_ONCE);
    yield* exams;
    before = exams.at(-1)?.id;
    if (exams.length < EXAMS_AT_ONCE) break;
  }
}

/** Sends a study's images, laudo and receipts. Returns its entry for `exams.json`. */
async function* exportStudy(
  deps: ExportDeps,
  zip: ZipStream,
  { study, contents }: { study: StudyRow; contents: StudyContents },
  parts: ExportParts,
): AsyncGenerator<Uint8Array, ListedExam> {
  const found = await findReport(deps.db, study.id);
  const file = `reports/${study.id}.pdf`;
  const exam = { study: study.id, studyInstanceUID: study.studyInstanceUID };
  const pdf = found && (await parts.damaged.readOrRecord({ ...exam, file }, readObject(deps, found.object)));
  if (pdf) yield* zip.file(file, pdf);
  const laudo = found && pdf && { found, pdf };
  const folders = yield* exportImages(deps, zip, { study, contents, laudo }, parts);
  const receiptFiles = yield* exportReceipts(deps, zip, study, parts.locale);
  const { id, studyInstanceUID, createdAt, instanceCount } = study;
  const series = await listSeries(deps.db, id);
  const exported = {
    id,
    studyInstanceUID,
    ...shownIndexOf(study),
    createdAt,
    instanceCount,
    folders,
    report: pdf ? file : null,
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
  return exported;
}

function json(value: unknown): Uint8Array {
  return text(`${JSON.stringify(value, null, 2)}\n`);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
