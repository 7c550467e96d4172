/** Holds the jobs of all queues that have failed for good. Each dead letter remembers its queue. */
export const DEAD_LETTERS = "dead-letters";

/** How a queue treats its jobs. */
export interface QueueRules {
  /** Number of retries. After the last one the job becomes a dead letter. */
  retryLimit: number;
  /** Delay before the first retry. It doubles (with jitter) up to `retryDelayMaxSeconds`. */
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** A job that runs longer goes to another worker, and its `signal` aborts. */
  expireInSeconds: number;
  /** A finished job is deleted with its data after this time. Until then it is counted every ten seconds, as all jobs are. */
  keepDoneSeconds: number;
  /** At most one job with the same `singletonKey` waits or runs. `enqueue` then requires a key. */
  exclusive: boolean;
}

export interface NamedQueue {
  readonly name: string;
  readonly rules: QueueRules;
}

/** A queue of jobs that carry `Data`. Jobs run at least once, so handlers are idempotent. */
export interface Queue<Data extends object> extends NamedQueue {
  /** Exists for the compiler only: it ties the enqueued data to the handler's data. */
  readonly carries?: (data: Data) => Data;
}

/** How long finished jobs are kept, unless their queue says otherwise. */
export const KEEP_DONE_SECONDS = 3600;

const DEFAULTS: QueueRules = {
  retryLimit: 5,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 15 * 60,
  keepDoneSeconds: KEEP_DONE_SECONDS,
  exclusive: false,
};

/** What a job carries that needs nothing but its queue. */
type NoData = Record<never, never>;

/** `name`: words of `[a-z0-9-]` joined by dots. */
export function defineQueue<Data extends object = NoData>(
  name: string,
  rules: Partial<QueueRules> = {},
): Queue<Data> {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name)) throw new TypeError(`not a queue name: ${name}`);
  return { name, rules: { ...DEFAULTS, ...rules } };
}

/** The same queue for jobs that only this node can do, such as those on a file it holds. */
export function queueOfNode<Data extends object>(queue: Queue<Data>, nodeId: string): Queue<Data> {
  return defineQueue(`${queue.name}.${nodeId}`, queue.rules);
}

const NODE_ID = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name under which the queues that each node has for itself count as one. */
export function kindOfQueue(name: string): string {
  return name.replace(NODE_ID, "");
}
