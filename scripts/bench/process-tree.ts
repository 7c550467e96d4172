import { readdirSync, readFileSync } from "node:fs";

const PAGE_BYTES = 4096;
const CLOCK_TICKS_PER_SECOND = 100;
const RSS_EVERY_MS = 50;
/** Reading PSS walks the page tables of every process, so it is not done too often. */
const PSS_EVERY_MS = 250;

export interface TreeFigures {
  /** Sum over the processes; pages that PostgreSQL's processes share are counted in each. */
  rssBytes: number;
  /** Sum over the processes, a shared page counted once. */
  pssBytes: number;
}

/** A process and all its descendants, in any session. */
function processTree(rootPid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? Number(statFields(Number(name))?.[1]) : Number.NaN;
    if (Number.isNaN(parent)) continue;
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [rootPid];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

export function measureTree(rootPid: number): TreeFigures {
  const pids = processTree(rootPid);
  return { rssBytes: sum(pids, rssOf), pssBytes: sum(pids, pssOf) };
}

/** Seconds of CPU that the tree has used, children that ended included. */
export function cpuSeconds(rootPid: number): number {
  const ticks = sum(processTree(rootPid), (pid) => {
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = (statFields(pid) ?? []).slice(11, 15).map(Number);
    return utime + stime + cutime + cstime;
  });
  return ticks / CLOCK_TICKS_PER_SECOND;
}

const REST_MS = 1_000;
const MAX_RESTS = 60;
/** Less CPU in {@link REST_MS} is what an idle server takes. */
const IDLE_SECONDS = 0.05;

/** Waits until the tree has done what it put off, so that it does not work beside what is measured next. */
export async function untilIdle(rootPid: number): Promise<void> {
  let quiet = 0;
  for (let rests = 0; rests < MAX_RESTS && quiet < 3; rests++) {
    const before = cpuSeconds(rootPid);
    await Bun.sleep(REST_MS);
    quiet = cpuSeconds(rootPid) - before < IDLE_SECONDS ? quiet + 1 : 0;
  }
}

/** PSS of the largest of the browsers' processes below `rootPid` that draw pages; undefined if there is none. */
export function pageBytes(rootPid: number): number | undefined {
  const pages = processTree(rootPid).filter((pid) => readProc(pid, "cmdline")?.includes("--type=renderer"));
  return pages.length > 0 ? Math.max(...pages.map(pssOf)) : undefined;
}

export interface TreeSampler {
  /** Stops the sampling and returns the peaks. */
  stop(): TreeFigures;
}

/** Samples the memory of a process tree until stopped. */
export function sampleTree(rootPid: number): TreeSampler {
  const peak = measureTree(rootPid);
  const rssTimer = setInterval(() => {
    peak.rssBytes = Math.max(peak.rssBytes, sum(processTree(rootPid), rssOf));
  }, RSS_EVERY_MS);
  const pssTimer = setInterval(() => {
    peak.pssBytes = Math.max(peak.pssBytes, sum(processTree(rootPid), pssOf));
  }, PSS_EVERY_MS);
  return {
    stop() {
      clearInterval(rssTimer);
      clearInterval(pssTimer);
      return peak;
    },
  };
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0);
}

function rssOf(pid: number): number {
  return Number(readProc(pid, "statm")?.split(" ")[1] ?? 0) * PAGE_BYTES;
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readProc(pid, "smaps_rollup") ?? "")?.[1] ?? 0) * 1024;
}

/** Fields of proc(5) stat from the third on; the second holds a name, which may contain anything. */
function statFields(pid: number): string[] | undefined {
  const text = readProc(pid, "stat");
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** `undefined` where the process ended meanwhile. */
function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
