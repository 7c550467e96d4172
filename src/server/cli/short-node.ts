import { readAuthSecret } from "../auth-secret.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { type OpenImport, openImport } from "../features/import/open-import.ts";
import type { ObjectSources } from "../holdings/object-sources.ts";
import { importDirOf } from "../nodes/node.ts";
import { createDeps } from "../start-deps.ts";
import { commandLog } from "./command-log.ts";
import { openArchive } from "./open-installation.ts";
import type { Program } from "./program.ts";

/** The configuration of a command that has reached its database. */
export type ReachedConfig = Config & { databaseUrl: string };

/** The dependencies of a node that lives as long as a command. */
export interface ShortNode extends AsyncDisposable {
  deps: Deps;
  /** Where the archive itself is. */
  archive: ObjectSources;
  /** Begins to run as a node; the caller ends it. */
  open(): Promise<OpenImport>;
}

/** Opens a node below DATA_DIR. What it commits is in the store already, so that it never depends on this node. */
export async function openShortNode(program: Program, config: ReachedConfig): Promise<ShortNode> {
  const authSecret = await readAuthSecret(config);
  const archive = await openArchive(config);
  const deps = await createDeps(
    { ...config, authSecret, dataDir: importDirOf(config.dataDir), ack: "store", pix: undefined },
    { ...program, store: archive.store, log: commandLog },
  );
  return {
    deps,
    archive,
    open: () => openImport(deps, config.databaseUrl),
    [Symbol.asyncDispose]: () => deps[Symbol.asyncDispose](),
  };
}
