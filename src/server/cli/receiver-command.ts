import { aeTitleSchema } from "../../shared/api/receivers.ts";
import type { Config } from "../config.ts";
import { connectDatabase } from "../db/client.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { freeTitle } from "../features/receivers/receivers.repo.ts";
import type { Program } from "./program.ts";
import { reachInstallation } from "./reach-database.ts";
import { tell } from "./tell.ts";
import { checked, UsageError } from "./usage.ts";

/** `receiver free TITLE`: any account may take up an AE title that is still kept for the one that had it. */
export async function receiverCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const [verb, title, ...rest] = args;
  if (verb !== "free" || rest.length > 0) throw new UsageError("receiver free TITLE");
  const aeTitle = checked("TITLE", aeTitleSchema.safeParse(title), "an AE title");
  await using database = await reachInstallation(program, config);
  await migrate(database.url, migrations);
  const pool = connectDatabase({ url: database.url, maxConnections: 2 });
  try {
    if (!(await freeTitle(pool.db, aeTitle)))
      throw new UsageError(`No AE title ${aeTitle} is kept. If a receiver has it, its owner ends it first.`);
    await tell(`Freed ${aeTitle}: who still sends to it reaches the account that takes it up`);
  } finally {
    await pool.close();
  }
  return 0;
}
