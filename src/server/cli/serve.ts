import type { Config } from "../config.ts";
import { ensureAdmin, type FirstAdmin } from "../features/accounts/users/ensure-admin.ts";
import { createDeps } from "../start-deps.ts";
import { startServer } from "../start-server.ts";
import type { Program } from "./program.ts";

/** A stop that takes longer is cut: the program ends within 10 seconds of SIGTERM (docs/contract.md). */
const STOP_MS = 9_000;
/** The same once the database or the node is another's, and nothing more may be written. */
const LOST_STOP_MS = 3_000;

/** Serves until SIGTERM or SIGINT (exit code 0), or until another process has the database's data or the node (exit code 1). */
export async function serve(program: Program, config: Config): Promise<number> {
  const asked = Promise.withResolvers<undefined>();
  // Nobody may read the log any more.
  process.stdout.on("error", () => {});
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.once(signal, () => asked.resolve(undefined));
  await using deps = await createDeps(config, { ...program, holding: {} });
  const admin = await ensureAdmin(deps);
  await using server = await startServer(deps, program.assets());
  process.stdout.write(`${config.productName} is ready at ${server.url}${greeting(admin)}\n`);
  deps.log.info("server.started", {});
  const lost = await Promise.race([asked.promise, deps.lost]);
  if (lost) deps.log.error("server.lost", { what: lost });
  deps.log.info("server.stopping", {});
  const code = lost ? 1 : 0;
  // Jobs that wait for a database that is gone would wait for minutes. Nothing that was acknowledged depends on them.
  setTimeout(() => process.exit(code), code === 0 ? STOP_MS : LOST_STOP_MS);
  return code;
}

function greeting(admin: FirstAdmin | undefined): string {
  if (!admin) return "";
  const { email, generatedPassword } = admin;
  if (generatedPassword === undefined) return ` (admin: ${email})`;
  return ` (admin: ${email}, password: ${generatedPassword} - shown only now)`;
}
