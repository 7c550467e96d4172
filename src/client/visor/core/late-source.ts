import { SourceEnded, SourceMissing, SourceUnreadable, type StackSource } from "./source.ts";

/** How often missing images make the source be opened again, to learn whether the whole exam is gone. */
const ASKED_EVERY_MS = 60_000;

/**
 * A source that is still being opened, so that the visor can be drawn meanwhile. A failed opening is tried again with the next call.
 * When its access ends, it is opened once more, because a session outlasts a token. It is also opened once more when an image is missing,
 * because every image of an exam that was deleted or is no longer shared is missing. If that opening is refused, the access has ended.
 *
 * @param open throws TypeError if the server was not reached or could not answer
 */
export function createLateSource(open: () => Promise<StackSource>): StackSource {
  let opening: Promise<StackSource> | undefined;
  let wasOpen = false;
  let lastAskedAt = Number.NEGATIVE_INFINITY;
  const opened = () => {
    opening ??= open().then(
      (source) => {
        wasOpen = true;
        return source;
      },
      (error: unknown) => {
        opening = undefined;
        if (!wasOpen || error instanceof TypeError || error instanceof SourceEnded) throw error;
        throw new SourceEnded("it can't be opened any more");
      },
    );
    return opening;
  };

  function opensAgain(error: unknown): boolean {
    if (error instanceof SourceEnded) return true;
    if (!(error instanceof SourceMissing) || performance.now() - lastAskedAt < ASKED_EVERY_MS) return false;
    lastAskedAt = performance.now();
    return true;
  }

  async function read<Answer>(run: (source: StackSource) => Promise<Answer>): Promise<Answer> {
    const first = opened();
    const source = await first;
    try {
      return await run(source);
    } catch (error) {
      if (!opensAgain(error)) throw error;
      // Another call may have opened it again already.
      if (opening === first) opening = undefined;
      return await run(await opened());
    }
  }

  return {
    beginWith: async (studyInstanceUID) => (await opened()).beginWith?.(studyInstanceUID),
    listSeries: (...given) => read((source) => source.listSeries(...given)),
    readMetadata: (...given) => read((source) => source.readMetadata(...given)),
    readFrame: (...given) => read((source) => source.readFrame(...given)),
    readDocument: (...given) =>
      read((source) => source.readDocument?.(...given) ?? Promise.reject(new SourceUnreadable())),
    readBulkData: (...given) =>
      read((source) => source.readBulkData?.(...given) ?? Promise.reject(new SourceUnreadable())),
  };
}
