import { emailSchema } from "../../shared/api/account-fields.ts";
import { isUuid } from "../../shared/uuid.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { findExistingUsers, findUserByEmail } from "../features/accounts/users/users.repo.ts";
import { AccountMayNotUpload } from "../features/import/import.errors.ts";
import { chooseOwners } from "../features/rebuild/choose-owners.ts";
import { rebuildStudies, type VolumeReport } from "../features/rebuild/rebuild-studies.ts";
import { type Survey, surveyStore } from "../features/rebuild/survey-store.ts";
import { findAccountsOfKeys } from "../features/studies/study-storage.repo.ts";
import { chunks } from "../runtime/chunks.ts";
import { counted } from "./counted.ts";
import { untilInterrupted } from "./interrupts.ts";
import { LineWriter } from "./line-writer.ts";
import type { Program } from "./program.ts";
import { barOf, openProgressLine } from "./progress-line.ts";
import { reachInstallation } from "./reach-database.ts";
import { openShortNode, type ReachedConfig } from "./short-node.ts";
import { checked, parseOptions, UsageError } from "./usage.ts";

interface Options {
  email: string;
  owners: string[];
  takesUnlabelled: boolean;
  asJson: boolean;
}

const KEYS_AT_ONCE = 1_000;
const INTERRUPTED = "Interrupted. What was rebuilt is safe; start it again to go on.";

/** `rebuild --account E`. Exit code 0 if all chosen volumes are in the account, 1 if one is not. */
export async function rebuildCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const options = readOptions(args);
  const signal = untilInterrupted(INTERRUPTED);
  await using database = await reachInstallation(program, config);
  return await rebuild(program, { ...config, databaseUrl: database.url }, options, signal);
}

async function rebuild(
  program: Program,
  config: ReachedConfig,
  { email, owners: named, takesUnlabelled, asJson }: Options,
  signal: AbortSignal,
): Promise<number> {
  await using short = await openShortNode(program, config);
  const { deps } = short;
  const user = await findUserByEmail(deps.db, email);
  if (!user) throw new AccountMayNotUpload(`There is no account with the e-mail ${email}.`);
  await using node = await short.open();
  using progress = openProgressLine();
  const onProgress = (objects: number) => progress.show(`Reading labels: ${counted(objects, "object")}`);
  const survey = await surveyStore(deps.store, { signal, onProgress });
  const existing = await findExistingUsers(deps.db, [...survey.owners.keys()]);
  const owners = chooseOwners(survey, { account: user, existing, named });
  const counts = { rebuilt: 0, "already there": 0, skipped: 0, refused: 0 };
  let instances = 0;
  await using lines = new LineWriter();
  const sender = {
    // An exam that was acknowledged is not refused by the plan that its account has now.
    caller: { userId: user.id, role: "admin" } as const,
    uploader: { accountId: user.id, isTrial: false },
    origin: { details: { by: "rebuild" } },
    signal,
  };
  await rebuildStudies(deps, sender, {
    survey,
    owners,
    takesUnlabelled,
    storedPath: short.archive.storedPath,
    beforeVolume: () => node.assertHeld(),
    async onReport(report) {
      counts[report.outcome]++;
      instances += report.instances ?? 0;
      const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
      progress.show(`Rebuilding: ${barOf(done, survey.volumes.length)} of the volumes`);
      await lines.add(asJson ? JSON.stringify(report) : lineOf(report));
    },
  });
  const documents = await countUnnamed(deps.db, survey.documents);
  const left = leftOver({ ...survey, documents }, new Set([...owners, ...existing]), takesUnlabelled);
  await lines.add(
    asJson ? JSON.stringify({ summary: { ...counts, instances, ...left } }) : told(counts, instances, left),
  );
  return counts.refused > 0 ? 1 : 0;
}

interface LeftOver {
  /** Studies of former accounts that were not chosen, by account. */
  otherAccounts: Record<string, number>;
  unlabelledVolumes: number;
  documents: number;
}

function leftOver(
  survey: Omit<Survey, "documents"> & { documents: number },
  settled: ReadonlySet<string>,
  takesUnlabelled: boolean,
): LeftOver {
  const otherAccounts: Record<string, number> = {};
  for (const { label } of new Set(survey.studies.values())) {
    if (!settled.has(label.accountId))
      otherAccounts[label.accountId] = (otherAccounts[label.accountId] ?? 0) + 1;
  }
  const unlabelled = survey.volumes.filter(({ id }) => !survey.studies.has(id));
  return {
    otherAccounts,
    unlabelledVolumes: takesUnlabelled ? 0 : unlabelled.length,
    documents: survey.documents,
  };
}

/** How many of these objects no study names. */
async function countUnnamed(db: Db, keys: string[]): Promise<number> {
  let named = 0;
  for (const some of chunks(keys, KEYS_AT_ONCE)) named += (await findAccountsOfKeys(db, some)).size;
  return keys.length - named;
}

function told(counts: Record<string, number>, instances: number, left: LeftOver): string {
  const sums = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  return [
    `Volumes: ${sums.join(", ")}. ${counted(instances, "instance")}.`,
    ...Object.entries(left.otherAccounts).map(
      ([id, studies]) =>
        `Not touched: ${counted(studies, "study", "studies")} of the former account ${id} (--owner ${id})`,
    ),
    ...(left.unlabelledVolumes > 0
      ? [
          `Not touched: ${counted(left.unlabelledVolumes, "volume that does", "volumes that do")} not say whose they are (--unlabelled)`,
        ]
      : []),
    ...(left.documents > 0 ? [`Not touched: ${counted(left.documents, "PDF")}`] : []),
  ].join("\n");
}

function lineOf({ volume, studyInstanceUID, outcome, reason }: VolumeReport): string {
  const about = reason === undefined ? "" : ` (${reason})`;
  return `${outcome}${about}: ${volume}${studyInstanceUID === undefined ? "" : ` of study ${studyInstanceUID}`}`;
}

function readOptions(args: string[]): Options {
  const { values } = parseOptions({
    args,
    options: {
      account: { type: "string" },
      owner: { type: "string", multiple: true },
      unlabelled: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  const email = checked("--account", emailSchema.safeParse(values.account));
  const owners = values.owner ?? [];
  if (!owners.every(isUuid)) throw new UsageError("--owner is the id of a former account");
  return {
    email,
    owners,
    takesUnlabelled: values.unlabelled === true,
    asJson: values.json === true,
  };
}
