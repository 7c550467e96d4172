import { setTimeout as pause } from "node:timers/promises";
import type { LockedSession } from "../db/locked-session.ts";
import { describeError, type Logger } from "../runtime/log.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { holdNode } from "./node-hold.repo.ts";

const POLL_MS = 250;
/** The database notices sooner that a machine is gone without a word (`db/locked-session.ts`). */
const PATIENCE_MS = 45_000;
const CHECK_MS = 15_000;

/** Two processes would each take the other's uploads for those of a run that died. */
export class NodeIsTaken extends OperatorError {
  override name = "NodeIsTaken";
  constructor() {
    super(
      "Another server with the node-id of this DATA_DIR works on the database of DATABASE_URL. Each server needs a DATA_DIR of its own; if this one is a copy, delete the file node-id in it.",
    );
  }
}

/** A node that no other process runs. */
export interface HeldNode extends AsyncDisposable {
  /** Resolves when another process has taken the node, after the database had lost sight of this one. */
  taken: Promise<void>;
}

export interface Holding {
  /** How long to wait for a process that has the node. */
  patienceMs?: number;
  /** How often to make sure that this process still has it. */
  checkMs?: number;
}

/**
 * Holds a node for this process until it is disposed, and holds it anew after the database was away.
 * @throws {NodeIsTaken}
 */
export async function keepNode(
  databaseUrl: string,
  nodeId: string,
  log: Logger,
  { patienceMs = PATIENCE_MS, checkMs = CHECK_MS }: Holding = {},
): Promise<HeldNode> {
  let hold: LockedSession | undefined = await holdNode(databaseUrl, nodeId);
  if (!hold) {
    log.warn("node.waiting", { patienceMs });
    hold = await holdOnceFree(databaseUrl, nodeId, patienceMs);
  }
  if (!hold) throw new NodeIsTaken();
  const taken = Promise.withResolvers<void>();
  const end = new AbortController();

  /** Returns whether this process has the node, or may still have it. */
  async function holdAnew(): Promise<boolean> {
    try {
      if (await hold?.isHeld()) return true;
      await hold?.[Symbol.asyncDispose]();
      hold = undefined;
      hold = await holdOnceFree(databaseUrl, nodeId, patienceMs, end.signal);
      return hold !== undefined || end.signal.aborted;
    } catch (error) {
      // The database tells who has the node once it answers.
      log.warn("node.hold_failed", describeError(error));
      return true;
    }
  }

  async function watch(): Promise<void> {
    while (await isAfter(checkMs, end.signal)) {
      if (await holdAnew()) continue;
      log.error("node.taken", {});
      return taken.resolve();
    }
  }

  const watching = watch();
  return {
    taken: taken.promise,
    async [Symbol.asyncDispose]() {
      end.abort();
      // First, so that a question to a database that is silent ends too.
      await hold?.[Symbol.asyncDispose]();
      await watching;
      await hold?.[Symbol.asyncDispose]();
    },
  };
}

/** Holds a node as soon as no other process does; returns `undefined` if one still does after `patienceMs`. */
export async function holdOnceFree(
  databaseUrl: string,
  nodeId: string,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<LockedSession | undefined> {
  const deadline = performance.now() + patienceMs;
  do {
    const hold = await holdNode(databaseUrl, nodeId);
    if (hold) return hold;
  } while ((await isAfter(POLL_MS, signal)) && performance.now() < deadline);
  return undefined;
}

/** Waits. Returns `false` if `signal` ended it. */
async function isAfter(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  return await pause(milliseconds, true, { signal, ref: false }).catch(() => false);
}
