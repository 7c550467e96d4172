import type { Config } from "../config.ts";
import { ensureAdmin, type FirstAdmin } from "../features/accounts/users/ensure-admin.ts";
import { createDeps } from "../start-deps.ts";
import { startServer } from "../start-server.ts";
import type { Program } from "./program.ts";
import { onStopSignal } from "./stop-signals.ts";

/** A stop that takes longer is cut: the program ends within 10 seconds of SIGTERM (docs/contract.md). */
const STOP_MS = 9_000;
/** The same while it starts, when nobody waits for an answer. */
const START_STOP_MS = 4_000;
/** The same once the database or the node is another's, and nothing more may be written. */
const LOST_STOP_MS = 3_000;

/** Serves until SIGTERM or SIGINT (exit code 0), or until another process has the database's data or the node (exit code 1). */
export async function serve(program: Program, config: Config): Promise<number> {
  const asked = untilAsked();
  let isServing = false;
  // A start may wait for long, as for the node of a server that died, and jobs for minutes for a database that is gone. Nothing that was
  // acknowledged depends on either.
  asked.then(() => setTimeout(() => process.exit(0), isServing ? STOP_MS : START_STOP_MS));
  // Nobody may read the log any more.
  process.stdout.on("error", () => {});
  await using deps = await createDeps(config, { ...program, holding: {} });
  await using server = await startServer(deps, program.assets());
  isServing = true;
  // Last, since the password is told once: a start that fails, as on a port that is taken, must not use that up.
  const admin = await ensureAdmin(deps);
  process.stdout.write(`${config.productName} is ready at ${server.url}${greeting(admin)}\n`);
  deps.log.info("server.started", {});
  const lost = await Promise.race([asked, deps.lost]);
  if (lost) {
    deps.log.error("server.lost", { what: lost });
    setTimeout(() => process.exit(1), LOST_STOP_MS);
  }
  deps.log.info("server.stopping", {});
  return lost ? 1 : 0;
}

/** Resolves when a signal asks the program to stop. Another one changes nothing: `bun run` passes on Ctrl-C, which the terminal sends too. */
function untilAsked(): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  onStopSignal(() => resolve(undefined));
  return promise;
}

function greeting(admin: FirstAdmin | undefined): string {
  if (!admin) return "";
  const { email, generatedPassword } = admin;
  if (generatedPassword === undefined) return ` (admin: ${email})`;
  return ` (admin: ${email}, password: ${generatedPassword} - shown only now)`;
}
