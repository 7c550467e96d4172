import { giveUp, type StreamedBody } from "../../archive/pieces.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import { type ObjectDeps, openObject } from "./open-object.ts";

/**
 * Opens a range of an object, and then has `record` note that somebody reads it: bytes that can't be read were read by nobody. If it
 * can't be noted, or may not be read, nothing stays open.
 * @throws as {@link openObject} and `record`
 */
export async function openOnRecord(
  deps: ObjectDeps,
  object: KeptObject,
  range: ByteRange,
  record: () => Promise<void>,
): Promise<StreamedBody> {
  const body = await openObject(deps, object, range);
  try {
    await record();
  } catch (error) {
    await giveUp(body);
    throw error;
  }
  return body;
}
