import { giveUp, type StreamedBody } from "../../archive/pieces.ts";

/** Somebody who reads stored bytes. */
interface Reading {
  /** The request's: it aborts when the reader leaves. */
  signal: AbortSignal;
  /** Notes that they read, or charges it. */
  record(): Promise<void>;
}

/**
 * Opens stored bytes, and then has `record` note that somebody reads them: bytes that can't be read were read by nobody, and nor were
 * those whose reader left, for which the answer is `undefined`. If it can't be noted, or may not be read, nothing stays open.
 * @throws as `open` and `record`
 */
export async function openOnRecord<Body extends StreamedBody>(
  open: () => Promise<Body>,
  { signal, record }: Reading,
): Promise<Body | undefined> {
  const body = await open();
  try {
    if (!signal.aborted) {
      await record();
      return body;
    }
  } catch (error) {
    await giveUp(body);
    throw error;
  }
  await giveUp(body);
  return undefined;
}
