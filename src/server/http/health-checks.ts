import { ping } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { describeError, type Logger } from "../runtime/log.ts";
import { StoreRefuses } from "../storage/object-store.ts";
import { createSharedCheck } from "./shared-check.ts";

export interface HealthCheck {
  isUp(): Promise<boolean>;
  /** How long the last check that succeeded took. */
  tookSeconds(): number | undefined;
}

/** Checks what a node needs to work. Asking stays cheap however many callers ask. */
export type HealthChecks = Record<"database" | "store" | "disk" | "uploads", HealthCheck>;

export function createHealthChecks(deps: Pick<Deps, "db" | "disk" | "store" | "log">): HealthChecks {
  const { log } = deps;
  return {
    database: timed(told(log, "database", () => ping(deps.db))),
    store: timed(told(log, "store", () => deps.store.check())),
    disk: timed(told(log, "disk", () => deps.disk.check())),
    uploads: timed(told(log, "uploads", () => checkUploads(deps))),
  };
}

/** Logs why a part fails, and when it answers again: once each. */
function told(log: Logger, part: keyof HealthChecks, check: () => Promise<unknown>): () => Promise<unknown> {
  let isDown = false;
  return async () => {
    try {
      await check();
    } catch (error) {
      if (!isDown) log.warn("health.part_down", { part, ...describeError(error) });
      isDown = true;
      throw error;
    }
    if (isDown) log.info("health.part_up", { part });
    isDown = false;
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
