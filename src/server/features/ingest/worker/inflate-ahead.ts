import type { EntryData, ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { METHOD_STORED } from "../../../../shared/zip/zip-format.ts";
import type { FileWindow } from "../../../archive/file-window.ts";
import { type BrokenEntry, type EntryContent, readEntryBeside } from "./read-entry.ts";
import type { SkippedReason } from "./worker-messages.ts";

/** What the entries inflated ahead may hold together, deflated and inflated: a few slices of a CT. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
/** The fewest deflated bytes, which set how long inflating takes. Handing over fewer costs about what it saves. */
const MIN_AHEAD_BYTES = 128 * 1024;

/** An entry of a ZIP, and where its data are or why it is left out. */
export interface FoundEntry {
  entry: ZipEntry;
  located: { ok: true; data: EntryData } | { ok: false; reason: SkippedReason };
}

export interface EntryInTurn extends FoundEntry {
  /** Set if other threads inflate the entry. */
  content?: Promise<EntryContent | BrokenEntry>;
}

/**
 * Yields entries in their order. Other threads inflate the next ones while the caller looks into one of them; all of these hold
 * {@link MAX_AHEAD_BYTES} at most. An entry that is stored, inflates fast or is large is left to the caller, and nothing after it
 * is read before.
 */
export function* inflateAhead(file: FileWindow, found: Iterable<FoundEntry>): Generator<EntryInTurn> {
  const ahead: EntryInTurn[] = [];
  let heldBytes = 0;
  for (const one of found) {
    const bytes = bytesAhead(one);
    while (ahead.length > 0 && (bytes === 0 || heldBytes + bytes > MAX_AHEAD_BYTES)) {
      const first = ahead.shift() as EntryInTurn;
      heldBytes -= bytesAhead(first);
      yield first;
    }
    if (!one.located.ok || bytes === 0) {
      yield one;
      continue;
    }
    heldBytes += bytes;
    const content = readEntryBeside(file, one.entry, one.located.data);
    content.catch(() => {}); // whoever takes the entry sees the failure
    ahead.push({ ...one, content });
  }
  yield* ahead;
}

/** Bytes that an entry holds while it is inflated ahead; 0 if it is not. */
function bytesAhead({ entry, located }: FoundEntry): number {
  if (!located.ok || located.data.method === METHOD_STORED) return 0;
  if (located.data.length < MIN_AHEAD_BYTES) return 0;
  const bytes = located.data.length + entry.sizeBytes;
  return bytes <= MAX_AHEAD_BYTES ? bytes : 0;
}
