import { cpus } from "node:os";

/** Begins to watch the machine's cores. The function that it returns says how busy they were since. */
export function watchCores(): () => string {
  const startedAt = performance.now();
  const before = readCores();
  return () => {
    const after = readCores();
    const share = (after.busyMs - before.busyMs) / Math.max(1, after.allMs - before.allMs);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    return `${seconds} s, the ${cpus().length} cores ${Math.round(share * 100)} % busy`;
  };
}

/** Of all processes, since the machine started. */
function readCores(): { busyMs: number; allMs: number } {
  const sum = { busyMs: 0, allMs: 0 };
  for (const { times } of cpus()) {
    const { user, nice, sys, irq, idle } = times;
    sum.busyMs += user + nice + sys + irq;
    sum.allMs += user + nice + sys + irq + idle;
  }
  return sum;
}
