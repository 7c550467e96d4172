const OPENING = "/viewer/opening.json";
/** An opening needs some 40 scripts; a list that is longer is not ours. */
const MAX_PARTS = 60;

/** The scripts that an opening of the viewer needs, in the order of their use, each with its size once unpacked. */
export type ViewerOpening = ReadonlyMap<string, number>;

/** Reads which scripts an opening needs; empty if the server doesn't say. */
export async function readOpening(get: (path: string) => Promise<Response>): Promise<ViewerOpening> {
  try {
    const response = await get(OPENING);
    const parts: unknown = response.ok ? await response.json() : [];
    return new Map((Array.isArray(parts) ? parts : []).filter(isPart).slice(0, MAX_PARTS));
  } catch {
    return new Map();
  }
}

function isPart(part: unknown): part is [string, number] {
  if (!Array.isArray(part)) return false;
  const [path, sizeBytes] = part;
  return typeof path === "string" && Number.isSafeInteger(sizeBytes) && sizeBytes > 0;
}

/** Tells each whole percent of an opening's scripts once, as their bytes arrive. Other scripts don't count. */
export function createOpeningProgress(opening: ViewerOpening, tell: (percent: number) => void) {
  const arrived = new Map<string, number>();
  const total = [...opening.values()].reduce((sum, size) => sum + size, 0);
  let sum = 0;
  let told = -1;
  return {
    /** A script that is requested again counts once. */
    add(path: string, sizeBytes: number): void {
      const before = arrived.get(path) ?? 0;
      const now = Math.min(opening.get(path) ?? 0, before + sizeBytes);
      arrived.set(path, now);
      sum += now - before;
      const percent = total > 0 ? Math.floor((100 * sum) / total) : 0;
      if (total === 0 || percent === told) return;
      told = percent;
      tell(percent);
    },
  };
}
