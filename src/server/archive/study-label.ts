/**
 * What a manifest says about its study beside its instances, so that the study can be rebuilt without the database. Written with
 * each manifest; the newest of a study counts.
 */
export interface StudyLabel {
  /** When it was written (ISO 8601). */
  at: string;
  accountId: string;
  /** From {@link hashEmail}, of the account's address at that time. */
  emailHash: string;
  studyId: string;
  /** When the study came (ISO 8601). */
  createdAt: string;
  /** What the upload form says in place of the instances, by index column. */
  overrides: Record<string, string>;
  /** All volumes of the study, in a label that was written later than the manifests of its other series. */
  volumeIds?: string[];
  report?: ReportLabel;
}

/** The laudo of a study. */
export interface ReportLabel {
  objectId: string;
  key: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  uploadedBy: string;
  /** ISO 8601. */
  createdAt: string;
}

/** Identifies an account's address without telling it. */
export function hashEmail(accountId: string, email: string): string {
  return new Bun.CryptoHasher("sha256").update(`${accountId} ${email.trim().toLowerCase()}`).digest("hex");
}

/** The values of a record that are texts. */
export function textsIn(record: object): Record<string, string> {
  const texts = Object.entries(record).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}

const TEXTS = ["at", "accountId", "emailHash", "studyId", "createdAt"] as const;
const REPORT_TEXTS = ["objectId", "key", "sha256", "uploadedBy", "createdAt"] as const;

/** The label in a manifest's JSON; `undefined` if there is none, or it has another shape: the series can be read without it. */
export function parseLabel(json: unknown): StudyLabel | undefined {
  const label = asRecord(json);
  const overrides = asRecord(label?.overrides);
  if (!label || !overrides || !hasTexts(label, TEXTS)) return undefined;
  const { at, accountId, emailHash, studyId, createdAt } = label;
  const report = parseReport(label.report);
  const own = { at, accountId, emailHash, studyId, createdAt };
  const volumeIds = Array.isArray(label.volumeIds) ? label.volumeIds.filter(isText) : undefined;
  return {
    ...own,
    overrides: textsIn(overrides),
    ...(volumeIds && { volumeIds }),
    ...(report && { report }),
  };
}

function parseReport(json: unknown): ReportLabel | undefined {
  const report = asRecord(json);
  if (!report || !hasTexts(report, REPORT_TEXTS) || !Number.isSafeInteger(report.sizeBytes)) return undefined;
  const { objectId, key, sha256, uploadedBy, createdAt } = report;
  return { objectId, key, sizeBytes: Number(report.sizeBytes), sha256, uploadedBy, createdAt };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function asRecord(json: unknown): Record<string, unknown> | undefined {
  const isRecord = typeof json === "object" && json !== null && !Array.isArray(json);
  return isRecord ? (json as Record<string, unknown>) : undefined;
}

function hasTexts<Name extends string>(
  record: Record<string, unknown>,
  names: readonly Name[],
): record is Record<string, unknown> & Record<Name, string> {
  return names.every((name) => typeof record[name] === "string");
}
