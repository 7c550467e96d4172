/** Lets PDF.js read its streams with `for await`, which WebKit 2.50 (Safari 26) does not know. */
export function makeStreamsIterable(streams: ReadableStream = ReadableStream.prototype): void {
  if (Symbol.asyncIterator in streams) return;
  Object.defineProperty(streams, Symbol.asyncIterator, {
    value: chunksOf,
    writable: true,
    configurable: true,
  });
}

/** As the standard has it: leaving the loop cancels the stream. */
async function* chunksOf<Chunk>(this: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = this.getReader();
  let isLeft = true;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isLeft = false;
        return;
      }
      yield value;
    }
  } catch (error) {
    isLeft = false;
    throw error;
  } finally {
    if (isLeft) await reader.cancel();
    reader.releaseLock();
  }
}
