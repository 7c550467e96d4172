import { TagHex } from "../../../../shared/dicom/tags.ts";
import type { QidoMatch, Wanted } from "./qido-match.ts";

/** The time of day that belongs to a date, by their tags. */
const TIMES: Readonly<Record<string, string>> = {
  [TagHex.InstanceCreationDate]: TagHex.InstanceCreationTime,
  [TagHex.StudyDate]: TagHex.StudyTime,
  [TagHex.SeriesDate]: TagHex.SeriesTime,
  [TagHex.AcquisitionDate]: TagHex.AcquisitionTime,
  [TagHex.ContentDate]: TagHex.ContentTime,
  [TagHex.PerformedProcedureStepStartDate]: TagHex.PerformedProcedureStepStartTime,
  [TagHex.PresentationCreationDate]: TagHex.PresentationCreationTime,
};

type Range = Extract<Wanted, { kind: "range" }>;

/**
 * Makes one range of a range of dates and one of their times, if both have the same ends: from ten o'clock of the first day to six o'clock
 * of the last, and not from ten to six of each day (PS3.18 §8.3.4.1.1, PS3.4 §C.2.2.2.5.4). The range of dates stays beside it, since it
 * has indexes.
 */
export function combineTimes(matches: readonly QidoMatch[]): QidoMatch[] {
  return matches.map((match) => {
    const date = matches.find(({ path }) => path.length === 1 && isTimeOf(match, path[0]?.tag));
    const between = date && combined(date.wanted, match.wanted);
    return date && between ? { path: date.path, time: match.path[0], wanted: between } : match;
  });
}

function isTimeOf({ path: [time, ...inner] }: QidoMatch, date = ""): boolean {
  return time !== undefined && inner.length === 0 && TIMES[date] === time.tag;
}

function combined(date: Wanted, time: Wanted): Range | undefined {
  if (!isRange(date) || !isRange(time)) return undefined;
  const hasSameEnds = !date.from === !time.from && !date.to === !time.to;
  if (!hasSameEnds) return undefined;
  return {
    kind: "range",
    ...(date.from && time.from && { from: date.from + time.from }),
    ...(date.to && time.to && { to: date.to + time.to }),
  };
}

function isRange(wanted: Wanted): wanted is Range {
  return wanted.kind === "range" && !wanted.isSingle;
}
