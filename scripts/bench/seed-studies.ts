import { sql } from "drizzle-orm";
import { connectDatabase } from "../../src/server/db/client.ts";
import { attachOrStart } from "../../src/server/db/embedded/embedded-postgres.ts";
import { indexOfInstances, studyColumns } from "../../src/server/features/ingest/study-index.ts";
import { studies } from "../../src/server/features/studies/studies.table.ts";
import { createLogger } from "../../src/server/log.ts";
import { createRandom, uidOf } from "../demo/phantom/random.ts";
import { type ApiClient, registerClient } from "./api-client.ts";

const ROWS_PER_STATEMENT = 1_000;
const DAY_MS = 24 * 3600_000;
const GIVEN = ["João", "Maria", "José", "Ana", "Antônio", "Francisca", "Inês", "Luís", "Conceição", "Zoé"];
const FAMILY = [
  "Silva",
  "Souza",
  "Pereira",
  "Lima",
  "Gonçalves",
  "Araújo",
  "Assunção",
  "Müller",
  "Sant'Ana",
  "Leão",
];
const DESCRIPTIONS = [
  "TC de crânio sem contraste",
  "TC de tórax",
  "RM de encéfalo",
  "Ecocardiograma",
  "RX de tórax PA",
];
const MODALITIES = ["CT", "CT", "MR", "US", "CR"];

/**
 * Puts studies (rows only, no bytes) into the database of a running server, all in one new account.
 * @returns its owner, signed in
 */
export async function seedStudies(options: {
  url: string;
  dataDir: string;
  count: number;
}): Promise<ApiClient> {
  const owner = await registerClient(options.url);
  const postgres = await attachOrStart({ dataDir: options.dataDir, log: createLogger({ level: "error" }) });
  const pool = connectDatabase({ url: postgres.url, maxConnections: 1, statementTimeoutMs: 120_000 });
  try {
    const random = createRandom(1);
    for (let from = 0; from < options.count; from += ROWS_PER_STATEMENT) {
      const length = Math.min(ROWS_PER_STATEMENT, options.count - from);
      const rows = Array.from({ length }, (_, index) => studyRow(owner.userId, from + index, random));
      await pool.db.insert(studies).values(rows);
    }
    await pool.db.execute(sql`vacuum analyze ${studies}`);
  } finally {
    await pool.close();
    await postgres.stop();
  }
  return owner;
}

function studyRow(accountId: string, index: number, random: () => number): typeof studies.$inferInsert {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const kind = Math.floor(random() * DESCRIPTIONS.length);
  const isRare = index === 77_777;
  const given = isRare ? "Zoroastro" : `${pick(GIVEN)} ${pick(GIVEN)}`;
  const daysAgo = Math.floor(random() * 3_650);
  const examined = new Date(Date.UTC(2026, 10, 1) - daysAgo * DAY_MS).toISOString();
  const instances = {
    patientName: `${pick(FAMILY)} ${pick(FAMILY)}^${given}`,
    patientID: `PAC-${String(index % 40_000).padStart(6, "0")}`,
    patientBirthDate: "1970-05-09",
    patientSex: "F",
    accessionNumber: String(20_000_000 + index),
    studyDescription: DESCRIPTIONS[kind] ?? null,
    studyDate: examined.slice(0, 10),
    studyTime: "08:42:00",
    institutionName: "Clínica São João",
    modality: null,
    seriesNumber: null,
    seriesDescription: null,
    instanceNumber: null,
    rows: null,
    columns: null,
  };
  return {
    id: Bun.randomUUIDv7(),
    accountId,
    studyInstanceUID: uidOf("bench list", index),
    ...studyColumns(indexOfInstances(instances, [MODALITIES[kind] ?? "OT"]), {}),
    seriesCount: 3,
    instanceCount: 300,
    sizeBytes: 150_000_000,
    storageStatus: "b2",
    createdAt: new Date(examined),
  };
}
