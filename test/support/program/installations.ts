import { join } from "node:path";
import { openArchive } from "../../../src/server/cli/open-installation.ts";
import { type Config, readConfig } from "../../../src/server/config.ts";
import { appliedOf } from "../../../src/server/db/migrate.ts";
import { listSmallFiles } from "../../../src/server/features/safekeeping/backup/copy-small-files.ts";
import {
  type BackupReport,
  makeBackup,
} from "../../../src/server/features/safekeeping/backup/make-backup.ts";
import {
  type RestoreReport,
  restoreBackup,
} from "../../../src/server/features/safekeeping/restore/restore-backup.ts";
import {
  type Verification,
  verifyArchive,
} from "../../../src/server/features/safekeeping/verify/verify-archive.ts";
import { outboxFolder } from "../../../src/server/mail/outbox.ts";
import type { S3ClientOptions } from "../../../src/server/storage/s3/s3-client.ts";
import { createTestDatabase } from "../database/database.ts";
import { s3Environment } from "../store/s3-environment.ts";
import { createTempFolder } from "../temp-folder.ts";

/** An installation as the commands are given it. */
export interface Installation {
  config: Config;
  /** For a program that starts there. */
  env: Record<string, string>;
}

/** An empty DATA_DIR and database, with a store of its own where `s3` names one. */
export async function emptyInstallation(s3?: S3ClientOptions): Promise<Installation & AsyncDisposable> {
  const folder = createTempFolder();
  const database = await createTestDatabase({ migrations: [] });
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder.path, "data"),
    AUTH_SECRET: "a secret for tests, long enough for HS256",
    ...(s3 && s3Environment(s3)),
  };
  return {
    config: readConfig(env),
    env,
    async [Symbol.asyncDispose]() {
      await database.drop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Imported late, as the macro in it asks for. */
async function ownMigrations() {
  return (await import("../../../src/server/db/migrations.ts")).migrations;
}

export async function backUp(
  config: Config,
  folder: string,
  options: Partial<Parameters<typeof makeBackup>[1]> = {},
): Promise<BackupReport> {
  const databaseUrl = config.databaseUrl ?? "";
  return await makeBackup(folder, {
    databaseUrl,
    dataDir: config.dataDir,
    migrations: await appliedOf(databaseUrl, await ownMigrations()),
    product: config.productName,
    sources: await openArchive(config),
    smallFiles: await listSmallFiles(config.dataDir, outboxFolder(config), config.authSecret),
    now: new Date(),
    signal: new AbortController().signal,
    ...options,
  });
}

export async function restore(
  config: Config,
  folder: string,
  options: Partial<Parameters<typeof restoreBackup>[1]> = {},
): Promise<RestoreReport> {
  const url = config.databaseUrl ?? "";
  return await restoreBackup(folder, {
    dataDir: config.dataDir,
    outbox: outboxFolder(config),
    authSecret: config.authSecret,
    openStore: async () => (await openArchive(config)).store,
    reachDatabase: async () => ({ url, [Symbol.asyncDispose]: async () => {} }),
    migrations: await ownMigrations(),
    now: new Date(),
    signal: new AbortController().signal,
    ...options,
  });
}

export async function verify(config: Config, { isShared = false } = {}): Promise<Verification> {
  const sources = await openArchive(config);
  return await verifyArchive({
    databaseUrl: config.databaseUrl ?? "",
    sources,
    folders: [
      join(config.dataDir, "staging"),
      ...(sources.storedPath ? [join(config.dataDir, "objects")] : []),
    ],
    isShared,
    signal: new AbortController().signal,
  });
}
