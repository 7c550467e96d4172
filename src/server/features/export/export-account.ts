import type { Locale } from "../../../shared/locale.ts";
import { volumeFolder } from "../../archive/volume-name.ts";
import { ZipStream } from "../../archive/zip-stream.ts";
import type { Deps } from "../../deps.ts";
import { translate } from "../../http/translate.ts";
import { listAccountAudit } from "../audit/audit.repo.ts";
import { readFactors } from "../auth/factors/present-factors.ts";
import { listLabExams } from "../labs/labs.repo.ts";
import { presentLabExam } from "../labs/present-lab-exam.ts";
import { listPaymentsOf } from "../payments/payments.repo.ts";
import { presentPayment } from "../payments/present-payment.ts";
import { findReport } from "../reports/reports.repo.ts";
import { openObject, readObject } from "../studies/open-object.ts";
import { listVolumes } from "../studies/stored-objects.repo.ts";
import { listGrants, listSeries, listStudiesAfter } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { listUsageEvents } from "../subscriptions/usage-events.repo.ts";
import { presentUser } from "../users/present-user.ts";
import { findUser } from "../users/users.repo.ts";

type ExportDeps = Pick<Deps, "db" | "clock" | "store" | "staging" | "node" | "config">;

const STUDIES_AT_ONCE = 100;
const MAX_ROWS = 10_000;

const readMe = /*i18n*/ {
  id: "export.readMe",
  message:
    'This is everything {productName} keeps for your account.\n\naccount.json: your data, subscription, payments and activities.\nexams.json: your studies; "folders" says where in DICOM/ the images of each lie.\nDICOM/: the images, exactly as you sent them. Any DICOM viewer opens the folder.\nreports/: the PDF report of a study, named by the study\'s id.\nlab/: your laboratory PDFs.\naudit.json: who saw or changed what, and when.\n',
};

/**
 * Everything an account keeps, as one ZIP made while it is sent: images bit for bit, PDFs, and what the database says
 * as JSON. Memory: one PDF (50 MB at most) and some 100 bytes an instance.
 */
export async function* exportAccount(
  deps: ExportDeps,
  userId: string,
  locale: Locale,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream();
  const { productName } = deps.config;
  yield* zip.file(
    locale === "pt-BR" ? "LEIA-ME.txt" : "README.txt",
    text(translate(locale, readMe, { productName })),
  );
  yield* zip.file("account.json", json(await describeAccount(deps, userId)));
  const exams: unknown[] = [];
  let after: string | null = null;
  for (;;) {
    const rows: StudyRow[] = await listStudiesAfter(deps.db, userId, after, STUDIES_AT_ONCE);
    for (const study of rows) exams.push(yield* exportStudy(deps, zip, study));
    after = rows.at(-1)?.id ?? null;
    if (rows.length < STUDIES_AT_ONCE) break;
  }
  const labs: unknown[] = [];
  for (const exam of await listLabExams(deps.db, userId)) {
    const file = `lab/${exam.id}.pdf`;
    yield* zip.file(file, await deps.store.read(exam.key, { offset: 0, length: exam.sizeBytes }));
    labs.push({ ...presentLabExam(exam), file });
  }
  yield* zip.file("exams.json", json({ studies: exams, laboratory: labs }));
  yield* zip.file("audit.json", json(await listAccountAudit(deps.db, userId, MAX_ROWS)));
  yield* zip.end();
}

/** Sends a study's volumes and report; answers what the index says of it. */
async function* exportStudy(
  deps: ExportDeps,
  zip: ZipStream,
  study: StudyRow,
): AsyncGenerator<Uint8Array, unknown> {
  const volumes = await listVolumes(deps.db, study.id);
  for (const volume of volumes) {
    yield* zip.volume({
      id: volume.id,
      sizeBytes: volume.sizeBytes,
      read: (range) => readObject(deps, volume, range),
      open: (range) => openObject(deps, volume, range),
    });
  }
  const report = await findReport(deps.db, study.id);
  const reportFile = report ? `reports/${study.id}.pdf` : null;
  if (report && reportFile) yield* zip.file(reportFile, await readObject(deps, report.object));
  const { id, studyInstanceUID, patientName, patientID, patientBirthDate, patientSex, accessionNumber } =
    study;
  const { description, studyDate, studyTime, institutionName, modality, createdAt } = study;
  const series = await listSeries(deps.db, id);
  return {
    ...{ id, studyInstanceUID, patientName, patientID, patientBirthDate, patientSex, accessionNumber },
    ...{ description, studyDate, studyTime, institutionName, modality, createdAt },
    folders: volumes.map((volume) => volumeFolder(volume.id)),
    report: reportFile,
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

async function describeAccount(deps: ExportDeps, userId: string): Promise<unknown> {
  const { db, clock } = deps;
  const [user, subscription, payments, usage, factors] = await Promise.all([
    findUser(db, userId),
    findSubscription(db, userId),
    listPaymentsOf(db, userId, MAX_ROWS),
    listUsageEvents(db, userId, MAX_ROWS),
    readFactors(deps, userId),
  ]);
  const now = clock.now();
  return {
    exportedAt: now,
    user: user && presentUser(user, subscription?.expiresAt ?? null),
    subscription,
    payments: payments.map((payment) => {
      const { pixQrcode: _, pixCopyPaste: __, ...said } = presentPayment(payment, now);
      return said;
    }),
    secondFactors: {
      passkeys: factors.passkeys,
      authenticatorApp: factors.totp,
      recoveryCodesLeft: factors.recoveryCodesLeft,
    },
    usage: usage.map(({ userId: _, ...event }) => event),
  };
}

function json(value: unknown): Uint8Array {
  return text(`${JSON.stringify(value, null, 2)}\n`);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
