import { connectDatabase, type Database } from "../../../db/client.ts";
import { listLiveNodes } from "../../../nodes/nodes.repo.ts";
import { sleep } from "../../../runtime/sleep.ts";

/** All waits of one backup together: what its snapshot names is on its way for seconds, longer if the store is slow. */
const PATIENCE_MS = 2 * 60_000;
const LOOK_MS = 500;

/** Lets a backup wait for bytes that other nodes have on their way to the store. */
export class AwaitedTransfers implements AsyncDisposable {
  #untilMs: number | undefined;
  #database: Database | undefined;

  constructor(
    private readonly databaseUrl: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits before the next look. Returns `false` if that is in vain: the node is silent, or its transfers take too long. */
  async wait(nodeId: string): Promise<boolean> {
    this.#untilMs ??= performance.now() + PATIENCE_MS;
    if (performance.now() >= this.#untilMs) return false;
    this.#database ??= connectDatabase({ url: this.databaseUrl, maxConnections: 1 });
    if (!(await listLiveNodes(this.#database.db)).includes(nodeId)) return false;
    await sleep(LOOK_MS, this.signal);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database?.close();
  }
}
