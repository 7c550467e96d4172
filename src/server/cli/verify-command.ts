import { join } from "node:path";
import type { Config } from "../config.ts";
import { type Verification, verifyArchive } from "../features/safekeeping/verify/verify-archive.ts";
import { counted } from "./counted.ts";
import { untilInterrupted } from "./interrupts.ts";
import { openArchive } from "./open-installation.ts";
import type { Program } from "./program.ts";
import { barOfBytes, openProgressLine, sizeText } from "./progress-line.ts";
import { reachInstallation } from "./reach-database.ts";
import { rehearseCommand } from "./rehearse-command.ts";
import { tell } from "./tell.ts";
import { parseOptions, UsageError } from "./usage.ts";

/** `verify [--json] [--shared]`, or `verify --rehearse DIR`. Exit code 0 if the archive is as it was stored, 1 with findings. */
export async function verifyCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const { json: asJson = false, shared: isShared = false, rehearse: backup } = readOptions(args);
  if (backup !== undefined) return await rehearseCommand(program, backup, asJson);
  const signal = untilInterrupted();
  await using database = await reachInstallation(program, config);
  const sources = await openArchive(config);
  using progress = openProgressLine();
  const verification = await verifyArchive({
    databaseUrl: database.url,
    sources,
    folders: [
      join(config.dataDir, "staging"),
      ...(sources.storedPath ? [join(config.dataDir, "objects")] : []),
    ],
    isShared,
    signal,
    onProgress: (done, total) => progress.show(`Verifying: ${barOfBytes(done.bytes, total.bytes)}`),
  });
  await tell(asJson ? JSON.stringify(verification) : told(verification));
  return verification.findings.length === 0 ? 0 : 1;
}

function told({ objects, bytes, findings, differedOnce, unknownObjects }: Verification): string {
  const lines = findings.map(({ kind, object, studyInstanceUID }) =>
    studyInstanceUID === undefined ? `${kind}: ${object}` : `${kind}: ${object} of study ${studyInstanceUID}`,
  );
  const found =
    findings.length === 0 ? "everything is as it was stored" : counted(findings.length, "finding");
  if (differedOnce)
    lines.push(
      `${counted(differedOnce, "object")} differed once and not when read again: look at the disk or the bucket.`,
    );
  if (unknownObjects)
    lines.push(`${counted(unknownObjects, "object")} of uploads that this database does not know.`);
  return [...lines, `Read ${counted(objects, "object")} (${sizeText(bytes)}): ${found}.`].join("\n");
}

function readOptions(args: string[]) {
  const options = {
    json: { type: "boolean" },
    rehearse: { type: "string" },
    shared: { type: "boolean" },
  } as const;
  const { values } = parseOptions({ args, options });
  if (values.rehearse !== undefined && values.shared)
    throw new UsageError("--shared is about the archive, not about a backup");
  return values;
}
