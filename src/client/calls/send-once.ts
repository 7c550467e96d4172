import { randomId } from "../runtime/random-id.ts";
import { ApiError } from "./api.ts";

/** More than anybody sends without an answer. */
const MAX_UNANSWERED = 50;

/** The keys of what was sent and is not known to have arrived, the oldest first. Never stored: they hold what people typed. */
const keys = new Map<string, string>();

/**
 * Sends something under an Idempotency-Key. If it fails, the same that is sent again has the same key, also from a dialog that was
 * closed and opened again, so that the server takes it once. A file is the same by its name and size: phones date a file anew each time
 * that it is picked. If the server knows another file under the key, this one gets a key of its own.
 */
export async function sendOnce<Answer>(
  what: readonly (string | File | undefined)[],
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const same = JSON.stringify(what.map(identityOf));
  const sendUnder = async (key: string): Promise<Answer> => {
    remember(same, key);
    const answer = await send(key);
    keys.delete(same);
    return answer;
  };
  const before = keys.get(same);
  if (before === undefined) return await sendUnder(randomId());
  try {
    return await sendUnder(before);
  } catch (failure) {
    if (!(failure instanceof ApiError) || !failure.code.endsWith(".key_used")) throw failure;
    return await sendUnder(randomId());
  }
}

function identityOf(part: string | File | undefined) {
  return part instanceof File ? [part.name, part.size] : part;
}

function remember(same: string, key: string): void {
  keys.delete(same);
  keys.set(same, key);
  const [oldest = ""] = keys.keys();
  if (keys.size > MAX_UNANSWERED) keys.delete(oldest);
}
