import type { StackSource } from "./source.ts";

/** A source that is still being opened, so that the visor can be drawn meanwhile. A failed opening is tried again with the next call. */
export function createLateSource(open: () => Promise<StackSource>): StackSource {
  let opening: Promise<StackSource> | undefined;
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    beginWith: async (studyInstanceUID) => (await opened()).beginWith?.(studyInstanceUID),
    listSeries: async (...given) => (await opened()).listSeries(...given),
    readMetadata: async (...given) => (await opened()).readMetadata(...given),
    readFrame: async (...given) => (await opened()).readFrame(...given),
  };
}
