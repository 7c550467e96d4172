import type { DateTimeEnd } from "./date-time-range.ts";
import type { QidoAttribute } from "./qido-attributes.ts";

/** What one attribute must be. All values are as DICOM writes them. */
export type Wanted =
  /** One of these: UIDs, exactly, or modalities, which may have the wildcards `*` and `?`. */
  | { kind: "list"; values: ReadonlySet<string>; patterns?: readonly string[] }
  /** Both ends included; an end left out is open. One value alone is both ends. */
  | { kind: "range"; from?: string; to?: string; isSingle?: true }
  /** A range of date times of which an end has an offset from UTC. */
  | { kind: "moments"; from?: DateTimeEnd; to?: DateTimeEnd }
  | { kind: "number"; value: number }
  /** With the wildcards `*` and `?`. A name is compared without case and accents (PS3.4 §C.2.2.2.1). */
  | { kind: "text"; pattern: string; isName: boolean }
  /** Each word begins a word of the name, whatever its case and accents. */
  | { kind: "words"; words: string }
  /** What any of them wants; nothing, if there are none. */
  | { kind: "any"; of: readonly Wanted[] };

export interface QidoMatch {
  /** From the data set down through sequences; the last one is the attribute. */
  path: QidoAttribute[];
  /** The time of day that is read behind the date which the path leads to: both are compared as one. */
  time?: QidoAttribute | undefined;
  wanted: Wanted;
}

/** What a search wants of the items of one sequence. */
export interface SequenceMatch {
  tag: string;
  /** With paths that begin in the item. */
  ofItem: QidoMatch[];
}

export function isOfSequence({ path }: QidoMatch): boolean {
  return path.length > 1;
}

/** What is wanted of members of sequences, by their sequences; other matches are left out. */
export function bySequence(matches: readonly QidoMatch[]): SequenceMatch[] {
  const ofSequences = Map.groupBy(
    matches.filter(isOfSequence),
    ({ path: [sequence] }) => sequence?.tag ?? "",
  );
  return [...ofSequences].map(([tag, ofOne]) => ({
    tag,
    ofItem: ofOne.map((match) => ({ ...match, path: match.path.slice(1) })),
  }));
}
