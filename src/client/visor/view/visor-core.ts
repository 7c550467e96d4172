import { TagHex } from "../../../shared/dicom/tags.ts";
import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import { createFrameLoader, type FrameLoader } from "../core/frame-loader.ts";
import type { SeriesPicturesOptions } from "../core/series-pictures.ts";
import type { StackSource } from "../core/source.ts";
import type { Slice } from "../core/stacks.ts";
import { createVisorModel, type VisorModel } from "../core/visor-model.ts";
import { isDecoderWarm, startDecodePool } from "../decode/start-worker.ts";

/** What small pictures of stacks are drawn with, as long as the opening lasts. They wait until the seen slice is there. */
export type StackDrawing = SeriesPicturesOptions & { signal: AbortSignal };

/** One opening of the visor: what is seen, and the frames on their way. */
export interface VisorCore {
  model: VisorModel;
  frames: FrameLoader & { subscribe(listener: () => void): () => void; version(): number };
  drawing: StackDrawing;
  /** Opens a study, unless it was opened already. */
  open(studyInstanceUID: string): void;
  /** Starts a decoder for frames of a syntax that will come. */
  expect(transferSyntaxUID: string): void;
  close(): void;
}

/** Some 90 slices of a CT. The decoders and what a page takes by itself are three times as much. */
const PHONE_BYTES = 48 * 1024 * 1024;
const DESKTOP_BYTES = 384 * 1024 * 1024;

/** Browsers that do not say how much memory there is get the smaller share. */
function cacheBytes(isBeside: boolean): number {
  const { deviceMemory = 4 } = navigator as Navigator & { deviceMemory?: number };
  return !isBeside && deviceMemory >= 8 && !matchMedia("(pointer: coarse)").matches
    ? DESKTOP_BYTES
    : PHONE_BYTES;
}

const TOLD_EVERY_MS = 250;

function startVisorCore(source: StackSource, { isBeside }: { isBeside: boolean }): VisorCore {
  const model = createVisorModel(source, whenSeen);
  const pool = startDecodePool();
  const listeners = new Set<() => void>();
  let version = 0;
  let telling: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    clearTimeout(telling);
    telling = undefined;
    version++;
    for (const listener of listeners) listener();
  };
  /** Draws the seen slice at once. News of other slices are drawn together, since each changes only how much has arrived. */
  const onChange = (key: string) => {
    const { stack, index } = model.state;
    if (stack?.slices[index]?.key === key) tell();
    else telling ??= setTimeout(tell, TOLD_EVERY_MS);
  };
  const maxBytes = cacheBytes(isBeside);
  const loader = createFrameLoader({ source, decode: pool.decode, maxBytes, onChange });
  const unsubscribe = model.subscribe(() => {
    const { stack, index, direction } = model.state;
    if (!stack) return;
    const [first] = stack.slices;
    const syntax = first && syntaxToCome(first);
    if (syntax !== undefined) pool.expect(syntax);
    loader.focus(stack.slices, index, direction);
  });
  /** Settles once a slice is on the screen whole, or failed, or is no longer seen: it may never come then. */
  async function whenSeen(slice: Slice, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isSeen = () => model.state.stack?.slices[model.state.index]?.key === slice.key;
    const isThere = () =>
      signal.aborted ||
      !isSeen() ||
      loader.failure(slice) !== undefined ||
      (loader.frame(slice) !== undefined && !loader.isCoarse(slice));
    const look = () => isThere() && resolve();
    listeners.add(look);
    const stopFollowing = model.subscribe(look);
    signal.addEventListener("abort", look);
    look();
    await promise;
    listeners.delete(look);
    stopFollowing();
    signal.removeEventListener("abort", look);
    await nextDrawing();
  }

  const closed = new AbortController();
  async function whenFree(): Promise<void> {
    const { stack, index } = model.state;
    const seen = stack?.slices[index];
    if (seen) await whenSeen(seen, closed.signal);
  }

  let opened: string | undefined;
  return {
    model,
    drawing: { source, decode: pool.decode, whenFree, signal: closed.signal },
    frames: {
      focus: loader.focus,
      frame: loader.frame,
      isCoarse: loader.isCoarse,
      failure: loader.failure,
      retry: loader.retry,
      close: loader.close,
      get sizeBytes() {
        return loader.sizeBytes;
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      version: () => version,
    },
    open(studyInstanceUID) {
      if (opened === studyInstanceUID) return;
      opened = studyInstanceUID;
      void model.open(studyInstanceUID);
    },
    expect: pool.expect,
    close() {
      clearTimeout(telling);
      closed.abort();
      unsubscribe();
      model.close();
      loader.close();
      pool.close();
    },
  };
}

/** A tab that nobody sees draws nothing. */
const DRAWN_WITHIN_MS = 100;

/** Waits until the browser has drawn what it was given. */
async function nextDrawing(): Promise<void> {
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, DRAWN_WITHIN_MS);
  });
}

/** The syntax in which the server will send a frame to us, among those that it offers. */
function syntaxToCome({ metadata }: Slice): string | undefined {
  const offered = metadata[TagHex.AvailableTransferSyntaxUID]?.Value ?? [];
  const [stored] = offered;
  if (offered.includes(TransferSyntax.htJpeg2000Rpcl)) return TransferSyntax.htJpeg2000Rpcl;
  return typeof stored === "string" ? stored : undefined;
}

/** How long an opening that was begun early waits for the component that shows it. */
const SHOWN_WITHIN_MS = 10_000;

const shownSources = new WeakSet<StackSource>();
let begun: { source: StackSource; core: VisorCore } | undefined;

/** Opens a study before the visor is drawn, so that its first image is on its way meanwhile. */
export function beginVisor(source: StackSource, studyInstanceUID: string): void {
  if (shownSources.has(source)) return;
  begun?.core.close();
  const core = startVisorCore(source, { isBeside: false });
  begun = { source, core };
  core.open(studyInstanceUID);
  // A decoder takes as long to start as the first slice to arrive; a series without a copy ends it for its own.
  if (isDecoderWarm()) core.expect(TransferSyntax.htJpeg2000Rpcl);
  setTimeout(() => {
    if (begun?.core !== core) return;
    begun = undefined;
    core.close();
  }, SHOWN_WITHIN_MS);
}

/** The opening that was begun with this source, else a new one. What is drawn may be drawn anew before it is shown. */
export function takeVisorCore(source: StackSource, options: { isBeside: boolean }): VisorCore {
  return begun?.source === source ? begun.core : startVisorCore(source, options);
}

/** The visor is on the page, and closes its opening itself. */
export function keepVisorCore(source: StackSource): void {
  shownSources.add(source);
  if (begun?.source === source) begun = undefined;
}
