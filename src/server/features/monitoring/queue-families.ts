import { DEAD_LETTERS, kindOfQueue } from "../../jobs/queue.ts";
import type { QueueDepth } from "../../jobs/queue-depths.repo.ts";
import type { Family, Sample } from "../../metrics/open-metrics.ts";

/** The program has fewer; nodes with ids of another form can't make more. */
const MAX_QUEUES = 100;

type Depth = Omit<QueueDepth, "name">;

/** The queues whose jobs run, and how many jobs failed for good. */
export function splitDepths(depths: readonly QueueDepth[]): { working: QueueDepth[]; deadLetters: number } {
  const letters = depths.find(({ name }) => name === DEAD_LETTERS);
  return {
    working: depths.filter((depth) => depth !== letters),
    deadLetters: (letters?.waiting ?? 0) + (letters?.delayed ?? 0),
  };
}

/** The queues of all nodes together: a queue that each node has for itself counts as one. */
export function queueFamilies(depths: readonly QueueDepth[]): Family[] {
  const { working, deadLetters } = splitDepths(depths);
  const queues = [...foldNodes(working)];
  const jobs = queues.flatMap(([queue, depth]) =>
    (["waiting", "delayed", "active"] as const).map(
      (state): Sample => ({ labels: { queue, state }, value: depth[state] }),
    ),
  );
  return [
    {
      name: "exameteca_queue_jobs",
      type: "gauge",
      help: "Jobs of all nodes, by queue and state. Active ones are counted every ten seconds.",
      samples: jobs,
    },
    {
      name: "exameteca_queue_oldest_age_seconds",
      type: "gauge",
      unit: "seconds",
      help: "For how long the oldest waiting job of all nodes could have run, by queue; 0 where none waits.",
      samples: queues.map(([queue, { oldestSeconds }]) => ({ labels: { queue }, value: oldestSeconds })),
    },
    {
      name: "exameteca_dead_letters",
      type: "gauge",
      help: "Jobs of all nodes that failed for good and wait for a person.",
      samples: [{ value: deadLetters }],
    },
  ];
}

function foldNodes(depths: readonly QueueDepth[]): Map<string, Depth> {
  const queues = new Map<string, Depth>();
  for (const depth of depths) {
    const base = kindOfQueue(depth.name);
    const name = queues.has(base) || queues.size < MAX_QUEUES ? base : "other";
    const before = queues.get(name) ?? { waiting: 0, delayed: 0, active: 0, oldestSeconds: 0 };
    queues.set(name, {
      waiting: before.waiting + depth.waiting,
      delayed: before.delayed + depth.delayed,
      active: before.active + depth.active,
      oldestSeconds: Math.max(before.oldestSeconds, depth.oldestSeconds),
    });
  }
  return queues;
}
