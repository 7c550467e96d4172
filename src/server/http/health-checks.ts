import { ping } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { StoreRefuses } from "../storage/object-store.ts";
import { createSharedCheck } from "./shared-check.ts";

export interface HealthCheck {
  isUp(): Promise<boolean>;
  /** How long the last check that succeeded took. */
  tookSeconds(): number | undefined;
}

/** Checks what a node needs to work. Asking stays cheap however many callers ask. */
export type HealthChecks = Record<"database" | "store" | "disk" | "uploads", HealthCheck>;

export function createHealthChecks(deps: Pick<Deps, "db" | "disk" | "store">): HealthChecks {
  return {
    database: timed(() => ping(deps.db)),
    store: timed(() => deps.store.check()),
    disk: timed(() => deps.disk.check()),
    uploads: timed(() => checkUploads(deps)),
  };
}

/** @throws if this node's disk has no room for uploads, or the store refused the last one */
async function checkUploads({ disk, store }: Pick<Deps, "disk" | "store">): Promise<void> {
  await disk.checkUploads();
  const refusal = store.refusal?.();
  if (refusal) throw new StoreRefuses(refusal);
}

function timed(check: () => Promise<unknown>): HealthCheck {
  let tookMs: number | undefined;
  const isUp = createSharedCheck(async () => {
    const startedAt = performance.now();
    await check();
    tookMs = performance.now() - startedAt;
  });
  return { isUp, tookSeconds: () => tookMs && tookMs / 1000 };
}
