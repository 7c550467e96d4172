/** Where jobs go that have failed for good; shared by all queues, each letter remembers its own. */
export const DEAD_LETTERS = "dead-letters";

/** How a queue treats its jobs. */
export interface QueueRules {
  /** Tries after the first; then the job becomes a dead letter. */
  retryLimit: number;
  /** Wait before the first retry; doubles (with jitter) up to `retryDelayMaxSeconds`. */
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** A job that runs longer is given to another worker while its `signal` aborts. */
  expireInSeconds: number;
  /** A job that is done is deleted, with its data, this long after. */
  keepDoneSeconds: number;
  /** At most one job a `singletonKey` waits or runs; `enqueue` then demands a key. */
  exclusive: boolean;
}

export interface NamedQueue {
  readonly name: string;
  readonly rules: QueueRules;
}

/** A queue of jobs that carry `Data`. Jobs run at least once, so handlers are idempotent. */
export interface Queue<Data extends object> extends NamedQueue {
  /** Only for the compiler: ties what is enqueued to what is handled. */
  readonly carries?: (data: Data) => Data;
}

const DEFAULTS: QueueRules = {
  retryLimit: 5,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 15 * 60,
  keepDoneSeconds: 7 * 86_400,
  exclusive: false,
};

/** `name`: words of `[a-z0-9-]` joined by dots. */
export function defineQueue<Data extends object>(name: string, rules: Partial<QueueRules> = {}): Queue<Data> {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name)) throw new TypeError(`not a queue name: ${name}`);
  return { name, rules: { ...DEFAULTS, ...rules } };
}

/** The same queue for jobs that only this node can do, such as those on a file it holds. */
export function queueOfNode<Data extends object>(queue: Queue<Data>, nodeId: string): Queue<Data> {
  return defineQueue(`${queue.name}.${nodeId}`, queue.rules);
}
