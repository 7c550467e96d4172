import type { Party } from "./worker/instance-judge.ts";

/** An open association, as far as it decides which of them ends for another one. */
interface Present extends Party {
  /** When it last brought something; milliseconds of a clock that never jumps. */
  activeAtMs: number;
}

type Crowd = [id: string, association: Present][];

export function largestCrowd(all: Crowd, by: "sharer" | "accountId"): Crowd {
  const crowds = Map.groupBy(all, ([, association]) => association[by]);
  const [largest = []] = [...crowds.values()].sort((a, b) => b.length - a.length);
  return largest;
}

/** The one that brought nothing for the longest, if it brought nothing since a time. */
export function longestIdle(crowd: Crowd, sinceMs = Number.POSITIVE_INFINITY): string | undefined {
  const [first] = crowd.toSorted(([, a], [, b]) => a.activeAtMs - b.activeAtMs);
  return first && first[1].activeAtMs <= sinceMs ? first[0] : undefined;
}
