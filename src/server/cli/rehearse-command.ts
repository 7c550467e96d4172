import { join } from "node:path";
import { type Config, readConfig } from "../config.ts";
import { connectDatabase } from "../db/client.ts";
import { migrations } from "../db/migrations.ts";
import { type Rehearsal, rehearse } from "../features/safekeeping/rehearse/rehearse-backup.ts";
import { type RestoreReport, restoreBackup } from "../features/safekeeping/restore/restore-backup.ts";
import { outboxFolder } from "../mail/outbox.ts";
import { createDeps } from "../start-deps.ts";
import { startServer } from "../start-server.ts";
import { commandLog } from "./command-log.ts";
import { counted } from "./counted.ts";
import { untilInterrupted } from "./interrupts.ts";
import { openArchive } from "./open-installation.ts";
import type { Program } from "./program.ts";
import { openProgressLine } from "./progress-line.ts";
import { startOrAttach } from "./reach-database.ts";
import { makeRehearsalFolder } from "./rehearsal-folder.ts";
import { notWholeLines } from "./restore-command.ts";
import { tell } from "./tell.ts";
import { addUser } from "./user-command.ts";

/**
 * `verify --rehearse DIR`. Exit code 0 if every study of the backup opens, 1 if one does not, or if an object is not in the backup as it was
 * stored.
 */
export async function rehearseCommand(program: Program, backup: string, asJson: boolean): Promise<number> {
  const signal = untilInterrupted();
  await using scratch = await makeRehearsalFolder();
  const place = scratchConfig(join(scratch.path, "data"));
  const restored = await restoreInto(program, place, backup, signal);
  const rehearsal = await startAndTry(program, place, signal);
  const { state, createdAt, notWhole } = restored;
  const report = { state, createdAt, ...rehearsal, notWhole };
  await tell(asJson ? JSON.stringify(report) : told(restored, rehearsal));
  return notWhole.length > 0 || rehearsal.trials.some(({ problem }) => problem !== undefined) ? 1 : 0;
}

/**
 * The settings of an installation for which the environment sets none: no mail is sent, no PSP is called, no DICOM sender is answered,
 * and the only port is a free one on loopback. Lossless copies would take room and work, and end with the scratch place.
 */
export function scratchConfig(dataDir: string): Config {
  const unset = readConfig({ DATA_DIR: dataDir });
  return { ...unset, port: 0, publicUrl: "http://127.0.0.1", twoFactor: "off", hasDerivatives: false };
}

async function restoreInto(
  program: Program,
  place: Config,
  backup: string,
  signal: AbortSignal,
): Promise<RestoreReport> {
  using progress = openProgressLine();
  return await restoreBackup(backup, {
    dataDir: place.dataDir,
    outbox: outboxFolder(place),
    authSecret: undefined,
    openStore: async () => (await openArchive(place)).store,
    reachDatabase: () => startOrAttach(program, place),
    migrations,
    now: new Date(),
    signal,
    onProgress: ({ objects }) =>
      progress.show(`Restoring into a scratch place: ${counted(objects, "object")}`),
  });
}

async function startAndTry(program: Program, place: Config, signal: AbortSignal): Promise<Rehearsal> {
  const account = {
    email: `rehearsal-${Bun.randomUUIDv7()}@localhost.localdomain`,
    password: Bun.randomUUIDv7(),
  };
  await using deps = await createDeps(place, { ...program, log: commandLog });
  await using server = await startServer(deps, program.assets());
  await addUser(deps.db, { ...account, name: "Rehearsal", role: "admin" });
  const answer = await fetch(`${server.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  const { id: adminId, token } = (await answer.json()) as { id: string; token: string };
  await using database = await startOrAttach(program, place);
  const pool = connectDatabase({ url: database.url, maxConnections: 1 });
  using progress = openProgressLine();
  try {
    return await rehearse({ url: server.url, token, adminId, sql: pool.sql }, signal, (studies) =>
      progress.show(`Opening: ${counted(studies, "study", "studies")}`),
    );
  } finally {
    await pool.close();
  }
}

function told(
  { state, createdAt, notWhole }: RestoreReport,
  { studies, framesOpened, downloads, trials }: Rehearsal,
): string {
  const failed = trials.filter(({ problem }) => problem !== undefined);
  const lines = [
    "Rehearsal of a restore",
    `  backup      ${state}, made at ${createdAt}`,
    `  rehearsed   ${new Date().toISOString()}`,
    `  restored    every file, each with the SHA-256 of its manifest`,
    `  studies     ${studies}, ${framesOpened} of them with images: one frame of each was opened`,
    `  downloads   ${downloads}, each with the SHA-256 of what was stored`,
    `  failures    ${failed.length}`,
    ...notWholeLines(notWhole),
    ...trials.map(({ studyInstanceUID, frameSha256, downloadSha256, problem }) =>
      [
        studyInstanceUID,
        problem ?? "opened",
        frameSha256 && `frame ${frameSha256}`,
        downloadSha256 && `download ${downloadSha256}`,
      ]
        .filter((part) => part !== undefined)
        .join("  "),
    ),
  ];
  return lines.join("\n");
}
