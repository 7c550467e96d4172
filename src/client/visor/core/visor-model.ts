import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, shownTextOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { documentsToCome, type SeriesEntry, SeriesStacks } from "./series-stacks.ts";
import {
  type DocumentReading,
  type DocumentRecord,
  type SeriesRecord,
  type SeriesUIDs,
  SourceEnded,
  SourceUnreadable,
  type StackSource,
} from "./source.ts";
import { buildStacks, isScout, mainStack, type Slice, type Stack } from "./stacks.ts";

export interface VisorState {
  /** `ended`: access has ended. `empty`: nothing has an image. */
  phase: "opening" | "ready" | "empty" | "failed" | "ended";
  entries: SeriesEntry[];
  stack: Stack | undefined;
  /** Place of the seen slice in the stack. */
  index: number;
  /** The way of the last step: 1 or -1. */
  direction: number;
  /** Counts the stacks that were turned to; each is seen anew. */
  turns: number;
  /** The document that was asked for by its series, or with which the study begins; each asking has its own object. */
  asked: AskedDocument | undefined;
}

export interface AskedDocument {
  document: DocumentRecord;
  /** Whether the study begins with it: it gives way to what is open by then. */
  isFirst: boolean;
}

/** What is open and seen, without anything that draws. */
export interface VisorModel {
  readonly state: VisorState;
  subscribe(listener: () => void): () => void;
  open(studyInstanceUID: string): Promise<void>;
  seek(index: number): void;
  show(stack: Stack): void;
  /** Reads a series if need be and shows its first stack; one of documents asks for its first document. */
  showSeries(seriesInstanceUID: string): Promise<void>;
  /** Goes to the next stack, or back. */
  turn(step: 1 | -1): Promise<void>;
  /** @throws as the source's, {SourceUnreadable} too if its series has no document */
  readDocument(document: DocumentRecord, options: DocumentReading): Promise<Blob>;
  close(): void;
}

const OPENING: VisorState = {
  phase: "opening",
  entries: [],
  stack: undefined,
  index: 0,
  direction: 1,
  turns: 0,
  asked: undefined,
};
/** How many series without an image are passed over; a study of documents has no more. */
const MAX_TRIED = 20;
/** Series with more documents than that are read when they are opened, as others are. */
const MAX_TITLED = 50;
/** A stack is begun at its middle, give or take this share of it. */
const MAX_OFF_MIDDLE = 0.25;

/**
 * @param whenSeen settles once a slice has been drawn, or won't be, or another one is seen: what is read for later waits for it
 */
export function createVisorModel(
  source: StackSource,
  whenSeen: (slice: Slice, signal: AbortSignal) => Promise<unknown> = async () => undefined,
): VisorModel {
  const listeners = new Set<() => void>();
  const closed = new AbortController();
  const { signal } = closed;
  let state = OPENING;
  /** Counts what the person asked to see: a series that arrives after a later wish is not shown. */
  let wishes = 0;

  const set = (change: Partial<VisorState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const setEntry = (uid: string, change: Partial<SeriesEntry>) =>
    set({
      entries: state.entries.map((entry) =>
        entry.series.seriesInstanceUID === uid ? { ...entry, ...change } : entry,
      ),
    });

  const noStacks = () => new SeriesStacks({ source, signal, onChange: setEntry });
  let seriesStacks = noStacks();

  function show(stack: Stack): void {
    const isBody = stack.framesPerSecond === undefined && !isScout(stack.slices[0]);
    const index = isBody ? Math.floor((stack.slices.length - 1) / 2) : 0;
    set({ stack, index, direction: 1, phase: "ready", turns: state.turns + 1 });
  }

  function showWished(stack: Stack): void {
    wishes++;
    show(stack);
  }

  /** Shows a stack around its image that is seen already; anew if that one is far from its middle. */
  function showAround(stack: Stack, seen: Slice | undefined): void {
    const index = stack.slices.findIndex(({ key }) => key === seen?.key);
    const share = index / Math.max(1, stack.slices.length - 1);
    if (index < 0 || Math.abs(share - 0.5) > MAX_OFF_MIDDLE) show(stack);
    else set({ stack, index, direction: 1, phase: "ready" });
  }

  /** Shows the image that the source can give before anything else is known. @returns it once its frame came, if it does */
  async function begin(studyInstanceUID: string): Promise<Slice | undefined> {
    const image = await source.firstImage?.(studyInstanceUID, signal);
    if (!image || signal.aborted) return undefined;
    const [stack] = buildStacks(seriesOf(studyInstanceUID, image.metadata), [image.metadata]);
    const [slice] = stack?.slices ?? [];
    if (!stack || !slice || stack.framesPerSecond !== undefined || isScout(slice)) return undefined;
    show({ ...stack, isBegun: true });
    return (await image.arrived) ? slice : undefined;
  }

  function ask(document: DocumentRecord | undefined, isFirst: boolean): void {
    if (document) set({ asked: { document, isFirst } });
  }

  /** Reads what the documents beside the shown stack are called, once that is seen. */
  async function readTitles(): Promise<void> {
    const seen = () => state.stack?.slices[state.index];
    const first = seen();
    if (!first || !state.entries.some(isUntitled)) return;
    await whenSeen(first, signal);
    // The person may have gone on before it came. In a film another one is seen each time.
    const next = seen();
    if (next && next !== first) await whenSeen(next, signal);
    for (const { series } of state.entries.filter(isUntitled).slice(0, MAX_TRIED)) {
      // One that can't be read has its title from its series.
      if (!signal.aborted) await seriesStacks.read(series).catch(() => undefined);
    }
  }

  const fail = (error: unknown) => {
    if (!signal.aborted) set({ phase: error instanceof SourceEnded ? "ended" : "failed" });
  };

  async function open(studyInstanceUID: string): Promise<void> {
    set(OPENING);
    // Each opening tells its entries anew what each series has.
    seriesStacks = noStacks();
    wishes++;
    let begunTurns = state.turns;
    /** Whether the person looks at a stack of their own choice meanwhile. */
    const isChosen = () => state.turns !== begunTurns;
    try {
      const begun = await begin(studyInstanceUID);
      begunTurns = state.turns;
      const seen = begun && whenSeen(begun, signal);
      const listing = source.listSeries(studyInstanceUID, signal);
      listing.catch(() => undefined);
      const beginWith = begun?.seriesInstanceUID ?? (await source.beginWith?.(studyInstanceUID));
      const first =
        beginWith === undefined ? undefined : unnamed({ studyInstanceUID, seriesInstanceUID: beginWith });
      const early = first && source.readMetadata(first, signal, seen);
      early?.catch(() => undefined);
      const listed = await listing;
      await seen;
      const toCome = (series: SeriesRecord) => (source.readDocument ? documentsToCome(series) : []);
      set({
        entries: listed.map((series) => ({
          series,
          state: "waiting",
          stacks: [],
          documents: toCome(series),
        })),
      });
      const begunSeries = listed.find(({ seriesInstanceUID }) => seriesInstanceUID === beginWith);
      if (early && begunSeries) seriesStacks.take(begunSeries, early);
      const weight = (series: SeriesRecord) => (toCome(series).length > 0 ? 0 : series.instanceCount);
      const bySize = listed.toSorted((a, b) => weight(b) - weight(a));
      const order = [
        ...bySize.filter(({ seriesInstanceUID }) => seriesInstanceUID === beginWith),
        ...bySize.filter(({ seriesInstanceUID }) => seriesInstanceUID !== beginWith),
      ];
      for (const series of order.slice(0, MAX_TRIED)) {
        const { stacks, documents } = await seriesStacks.read(series);
        const stack = mainStack(stacks, begun?.key);
        if (!stack) {
          if (series.seriesInstanceUID === beginWith) ask(documents[0], true);
          continue;
        }
        if (!isChosen()) showAround(stack, begun);
        await readTitles();
        return;
      }
      if (isChosen()) return;
      if (!state.asked) ask(state.entries.flatMap(({ documents }) => documents)[0], true);
      set({ phase: "empty" });
    } catch (error) {
      if (!isChosen() || error instanceof SourceEnded) fail(error);
    }
  }

  async function showSeries(seriesInstanceUID: string): Promise<void> {
    const entry = state.entries.find(({ series }) => series.seriesInstanceUID === seriesInstanceUID);
    if (!entry) return;
    const own = ++wishes;
    try {
      const { stacks, documents } = await seriesStacks.read(entry.series);
      if (own !== wishes || signal.aborted) return;
      if (stacks[0]) show(stacks[0]);
      else ask(documents[0], false);
    } catch (error) {
      if (error instanceof SourceEnded) fail(error);
    }
  }

  /** The first document of a series; scans that only its modality calls documents are shown instead. */
  async function firstDocumentOf(series: SeriesRecord): Promise<string | undefined> {
    const wished = wishes;
    const { stacks, documents } = await seriesStacks.read(series);
    if (documents.length === 0 && stacks[0] && wishes === wished) showWished(stacks[0]);
    return documents[0]?.sopInstanceUID;
  }

  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open,
    show: showWished,
    showSeries,
    seek(index) {
      const last = (state.stack?.slices.length ?? 1) - 1;
      const to = Math.min(last, Math.max(0, Math.round(index)));
      if (to !== state.index) set({ index: to, direction: to > state.index ? 1 : -1 });
    },
    async turn(step) {
      const steps = state.entries.flatMap<Stack | string>(({ series, stacks, documents }) =>
        stacks.length > 0 || documents.length > 0 ? stacks : [series.seriesInstanceUID],
      );
      const at = state.stack ? steps.indexOf(state.stack) : -1;
      const next = steps[at + step];
      if (typeof next === "string") await showSeries(next);
      else if (next) showWished(next);
    },
    async readDocument({ series, sopInstanceUID }, options) {
      const { studyInstanceUID, seriesInstanceUID } = series;
      const uid = sopInstanceUID ?? (await firstDocumentOf(series));
      if (uid === undefined || !source.readDocument) throw new SourceUnreadable("no document");
      const document = { studyInstanceUID, seriesInstanceUID, sopInstanceUID: uid };
      return await source.readDocument(document, options);
    },
    close: () => closed.abort(),
  };
}

function isUntitled({ state, series, documents }: SeriesEntry): boolean {
  return state === "waiting" && documents.length > 0 && series.instanceCount <= MAX_TITLED;
}

/** A series as one of its images describes it. */
function seriesOf(studyInstanceUID: string, metadata: DicomJson): SeriesRecord {
  return {
    studyInstanceUID,
    seriesInstanceUID: textOf(metadata[TagHex.SeriesInstanceUID]) ?? "",
    seriesNumber: numberOf(metadata[TagHex.SeriesNumber]) ?? null,
    modality: textOf(metadata[TagHex.Modality]) ?? "",
    description: shownTextOf(metadata[TagHex.SeriesDescription]) ?? "",
    instanceCount: 1,
  };
}

function unnamed(uids: SeriesUIDs): SeriesRecord {
  return { ...uids, seriesNumber: null, modality: "", description: "", instanceCount: 0 };
}
