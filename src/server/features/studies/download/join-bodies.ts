import { giveUp, piecesOf, type StreamedBody } from "../../../archive/pieces.ts";
import { streamOf } from "../../../http/stream-of.ts";
import { readAhead, SMALL_AHEAD } from "../../../runtime/read-ahead.ts";

/**
 * Streams the body of one part after the other. The first is opened here, and the next small ones while those before them are sent.
 * Whatever is open is given up if the stream is cancelled, also before its first read.
 * @throws what `open` throws for the first part
 */
export async function joinBodies<Part>(
  parts: Iterable<Part>,
  { open, bytesOf }: { open(part: Part): Promise<Uint8Array | StreamedBody>; bytesOf(part: Part): number },
): Promise<ReadableStream<Uint8Array>> {
  const opened = readAhead(parts, open, { ...SMALL_AHEAD, bytesOf, discard: giveUp });
  const body = await firstOf(opened);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      if (body) yield* piecesOf(body);
      for await (const { result } of opened) yield* piecesOf(await result);
    } finally {
      await opened.return();
    }
  }
  return streamOf(chunks(), async () => {
    if (body) await giveUp(body);
    await opened.return();
  });
}

async function firstOf<Body>(
  opened: AsyncGenerator<{ result: Promise<Body> }, void>,
): Promise<Body | undefined> {
  const first = await opened.next();
  if (first.done) return undefined;
  try {
    return await first.value.result;
  } catch (error) {
    await opened.return();
    throw error;
  }
}
