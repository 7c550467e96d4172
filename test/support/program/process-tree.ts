import { readdirSync, readFileSync } from "node:fs";

/** Reads proc(5), so Linux only. Pids of `root` and of everything below it. */
export function processTree(root: number): number[] {
  const children = Map.groupBy(allPids(), parentOf);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Whether a process is there and has not ended. */
export function isAlive(pid: number): boolean {
  return /^State:\s+[^ZX]/m.test(readProc(pid, "status"));
}

/** Live processes whose command line names `text`, such as a data directory. */
export function processesNaming(text: string): number[] {
  return allPids().filter(
    (pid) => pid !== process.pid && readProc(pid, "cmdline").includes(text) && isAlive(pid),
  );
}

/** Resident memory of processes together; `pssBytes` counts what they share once. */
export function memoryOf(pids: readonly number[]): { rssBytes: number; pssBytes: number } {
  let rssBytes = 0;
  let pssBytes = 0;
  for (const pid of pids) {
    const rollup = readProc(pid, "smaps_rollup");
    rssBytes += kilobytes(rollup, "Rss");
    pssBytes += kilobytes(rollup, "Pss");
  }
  return { rssBytes, pssBytes };
}

export interface MemorySampler {
  /** The highest sums seen. */
  stop(): { rssBytes: number; pssBytes: number };
}

/** Measures the tree below `root` every `everyMs`; the processes in it may come and go. */
export function sampleMemory(root: number, everyMs = 100): MemorySampler {
  const peak = { rssBytes: 0, pssBytes: 0 };
  const measure = () => {
    const { rssBytes, pssBytes } = memoryOf(processTree(root));
    peak.rssBytes = Math.max(peak.rssBytes, rssBytes);
    peak.pssBytes = Math.max(peak.pssBytes, pssBytes);
  };
  measure();
  const timer = setInterval(measure, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

function allPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, "status"))?.[1] ?? -1);
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
}

/** Empty if the process has ended meanwhile. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (["ENOENT", "ESRCH"].includes(code)) return "";
    throw error;
  }
}

/** Waits at most a minute for processes to end; returns those that have not. */
export async function waitUntilEnded(pids: number[]): Promise<number[]> {
  const deadline = Date.now() + 60_000;
  while (pids.some(isAlive) && Date.now() < deadline) await Bun.sleep(20);
  return pids.filter(isAlive);
}
