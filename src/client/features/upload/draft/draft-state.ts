import type { LocalPick } from "../../local-view/local-pick.ts";
import { FRAMES } from "../contact-sheet/film-files.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import type { FilmGreys } from "../look-inside/contents.ts";
import type { UploadProblem } from "../upload-problem.ts";
import type { ExamSource } from "./merge-exams.ts";
import type { ReadingProgress, ReadSource } from "./read-source.ts";

/** More ZIPs and folders are not taken at once. */
export const MAX_SOURCES = 20;

/** A ZIP, a folder or loose files that the person picked. */
export interface DraftSource {
  id: string;
  picked: LocalPick;
  kind: "zip" | "folder";
  name: string;
  /** Undefined of a folder until it was looked into. */
  sizeBytes: number | undefined;
  /** Undefined until it was looked into. */
  read: ReadSource | undefined;
}

/** How far the source is that is being looked into; counts are numbers of files. */
export interface Reading {
  id: string;
  total: number;
  loaded: number;
  studies: number;
  /** The code that reads can't be loaded yet. */
  isWaiting?: boolean;
  /** Pictures of its images, by the frame of the contact sheet. */
  films: ReadonlyMap<number, FilmGreys>;
}

/** Something that can't be sent, by its name; empty if it has none. */
export interface DraftProblem {
  name: string;
  problem: UploadProblem;
}

/** How far the packing of what was chosen is; counts are numbers of files. */
export interface Packing {
  packed: number;
  total: number;
}

/** What the person has picked and not sent yet, and what they decided about it. */
export interface Draft {
  sources: readonly DraftSource[];
  reading: Reading | undefined;
  problems: readonly DraftProblem[];
  /** What is not to be sent: exams by Study Instance UID, and sources without an exam by their id. */
  unticked: ReadonlySet<string>;
  /** By the same keys. */
  corrections: ReadonlyMap<string, ExamForm>;
  packing: Packing | undefined;
}

export const NO_DRAFT: Draft = {
  sources: [],
  reading: undefined,
  problems: [],
  unticked: new Set(),
  corrections: new Map(),
  packing: undefined,
};

export type DraftEvent =
  | { type: "picked"; sources: readonly DraftSource[]; problems: readonly DraftProblem[] }
  | { type: "began"; id: string }
  | { type: "progressed"; id: string; progress: ReadingProgress }
  | { type: "drawn"; id: string; frame: number; film: FilmGreys }
  | { type: "read"; id: string; read: ReadSource }
  | { type: "failed"; id: string; problem: UploadProblem }
  | { type: "removed"; ids: readonly string[] }
  | { type: "ticked"; key: string; isTicked: boolean }
  | { type: "corrected"; key: string; form: ExamForm }
  | { type: "packing"; packing: Packing | undefined }
  | { type: "refused"; problem: UploadProblem }
  | { type: "reset" };

/** Events about a source that is gone, such as late ones of its reading, change nothing. */
export function reduceDraft(draft: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case "picked":
      return { ...draft, sources: [...draft.sources, ...event.sources], problems: event.problems };
    case "began":
      return { ...draft, reading: { id: event.id, total: 0, loaded: 0, studies: 0, films: new Map() } };
    case "progressed":
      return changeReading(draft, event.id, (reading) => progressed(reading, event.progress));
    case "drawn":
      return changeReading(draft, event.id, (reading) =>
        event.frame < FRAMES
          ? { ...reading, films: new Map(reading.films).set(event.frame, event.film) }
          : reading,
      );
    case "read":
      return {
        ...withoutReading(draft, event.id),
        sources: draft.sources.map((source) =>
          source.id === event.id ? { ...source, sizeBytes: event.read.sizeBytes, read: event.read } : source,
        ),
      };
    case "failed": {
      const { name = "" } = draft.sources.find(({ id }) => id === event.id) ?? {};
      const problems = [...draft.problems, { name, problem: event.problem }];
      return { ...withoutSources(draft, [event.id]), problems };
    }
    case "removed":
      return withoutSources(draft, event.ids);
    case "ticked": {
      const unticked = new Set(draft.unticked);
      if (event.isTicked) unticked.delete(event.key);
      else unticked.add(event.key);
      return { ...draft, unticked };
    }
    case "corrected":
      return { ...draft, corrections: new Map(draft.corrections).set(event.key, event.form) };
    case "packing":
      return { ...draft, packing: event.packing, problems: [] };
    case "refused":
      return { ...draft, packing: undefined, problems: [{ name: "", problem: event.problem }] };
    case "reset":
      return NO_DRAFT;
  }
}

/** The sources that were read, in the order in which they were picked. */
export function readSources({ sources }: Pick<Draft, "sources">): ExamSource[] {
  return sources.flatMap(({ id, read }) => (read ? [{ id, read }] : []));
}

function changeReading(draft: Draft, id: string, change: (reading: Reading) => Reading): Draft {
  return draft.reading?.id === id ? { ...draft, reading: change(draft.reading) } : draft;
}

function withoutReading(draft: Draft, id: string): Draft {
  return draft.reading?.id === id ? { ...draft, reading: undefined } : draft;
}

/** What the person decided about the others stays; once none is left, nothing does. */
function withoutSources(draft: Draft, ids: readonly string[]): Draft {
  const sources = draft.sources.filter(({ id }) => !ids.includes(id));
  if (sources.length === 0) return { ...NO_DRAFT, problems: draft.problems };
  const { reading } = draft;
  return { ...draft, sources, reading: reading && ids.includes(reading.id) ? undefined : reading };
}

function progressed(reading: Reading, progress: ReadingProgress): Reading {
  if (progress.phase === "extracting") return reading;
  if (progress.phase === "waiting") return { ...reading, isWaiting: true };
  const { total, loaded = 0, studies = 0 } = progress;
  // The search for the first instance says nothing of how far it is.
  return {
    ...reading,
    isWaiting: false,
    total,
    loaded: Math.max(loaded, reading.loaded),
    studies: Math.max(studies, reading.studies),
  };
}
