import { SourceEnded, type StackSource } from "./source.ts";

/**
 * A source that is still being opened, so that the visor can be drawn meanwhile. A failed opening is tried again with the next call.
 * When its access ends, it is opened once more: a token lasts for hours, a session for longer.
 */
export function createLateSource(open: () => Promise<StackSource>): StackSource {
  let opening: Promise<StackSource> | undefined;
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  async function read<Answer>(run: (source: StackSource) => Promise<Answer>): Promise<Answer> {
    const first = opened();
    const source = await first;
    try {
      return await run(source);
    } catch (error) {
      if (!(error instanceof SourceEnded)) throw error;
      // Another call may have opened it again already.
      if (opening === first) opening = undefined;
      const renewed = await opened().catch((failure: unknown) => {
        throw failure instanceof TypeError ? failure : error;
      });
      return await run(renewed);
    }
  }

  return {
    beginWith: async (studyInstanceUID) => (await opened()).beginWith?.(studyInstanceUID),
    listSeries: (...given) => read((source) => source.listSeries(...given)),
    readMetadata: (...given) => read((source) => source.readMetadata(...given)),
    readFrame: (...given) => read((source) => source.readFrame(...given)),
  };
}
