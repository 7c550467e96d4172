import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readAuthSecret } from "../auth-secret.ts";
import type { Config } from "../config.ts";
import { connectDatabase } from "../db/client.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { createReceiptKeys, RECEIPT_KEY, RECEIPTS_SEAL } from "../features/receipts/receipt-keys.ts";
import { systemClock } from "../runtime/clock.ts";
import { createSeal } from "../runtime/seal.ts";
import { commandLog } from "./command-log.ts";
import type { Program } from "./program.ts";
import { reachInstallation } from "./reach-database.ts";
import { tell } from "./tell.ts";
import { UsageError } from "./usage.ts";

/** `receipt-key rotate`: a running server signs with the new key from its next receipt on. */
export async function receiptKeyCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb !== "rotate" || rest.length > 0) throw new UsageError("receipt-key rotate");
  await using database = await reachInstallation(program, config);
  await migrate(database.url, migrations);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const pool = connectDatabase({ url: database.url, maxConnections: 2 });
  try {
    const keys = createReceiptKeys({
      db: pool.db,
      clock: systemClock,
      log: commandLog,
      seal: createSeal(await readAuthSecret(config), RECEIPTS_SEAL),
      path: join(config.dataDir, RECEIPT_KEY),
    });
    await tell(`Receipts are signed with ${await keys.rotate()} now`);
  } finally {
    await pool.close();
  }
  return 0;
}
