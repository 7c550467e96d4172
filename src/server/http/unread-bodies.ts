import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "./app-error.ts";
import { bodyTooLarge, tooManySenders } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";

/** An unread body takes the memory of what the socket received before it was slowed down: over a megabyte. */
const MAX_UNREAD = 12;
const SHORT_BYTES = 16 * 1024;
/** Nobody reads a body of these methods, so it would keep its slot until the answer ends. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Senders that begin in the same milliseconds wait for a place: at most this many in all and of one sender, for at most
 * this time.
 */
const MAX_WAITING = 32;
const MAX_WAITING_A_SENDER = 12;
const PATIENCE_MS = 1_000;

export interface UnreadBodyOptions {
  /** Identifies the sender by the request alone, without a look-up. Unknown senders do not wait; they are rejected. */
  senderOf(authorization: string | undefined): Promise<string | undefined>;
  /** How long a known sender waits for a place. */
  patienceMs?: number;
}

/**
 * Bounds the longer bodies that stay unread while the server checks whether their sender may send them. It answers
 * before the database is asked.
 * @throws {AppError} 413, 429 with Retry-After
 */
export function boundUnreadBodies({
  senderOf,
  patienceMs = PATIENCE_MS,
}: UnreadBodyOptions): MiddlewareHandler<HttpEnv> {
  const places = createPlaces(patienceMs);
  return async (c, next) => {
    if (!hasLongBody(c)) {
      c.set("admitBody", () => {});
      return await next();
    }
    if (WITHOUT_BODY.has(c.req.method)) throw new AppError(bodyTooLarge);
    if (!places.take() && !(await places.wait(await senderOf(c.req.header("authorization")))))
      throw new AppError(tooManySenders, { retryAfterSeconds: 2 });
    let isUnread = true;
    const admit = () => {
      if (isUnread) places.giveBack();
      isUnread = false;
    };
    c.set("admitBody", admit);
    try {
      await next();
    } finally {
      admit();
    }
  };
}

function createPlaces(patienceMs: number) {
  let taken = 0;
  const waiting = new Set<{ sender: string; end: (hasPlace: boolean) => void }>();

  function take(): boolean {
    if (taken >= MAX_UNREAD) return false;
    taken++;
    return true;
  }

  return {
    take,
    /** Whether the sender got a place in time; places are given in order of arrival. */
    wait(sender: string | undefined): Promise<boolean> {
      // A place may have become free since.
      if (take()) return Promise.resolve(true);
      const ofSender = [...waiting].filter((other) => other.sender === sender).length;
      if (sender === undefined || waiting.size >= MAX_WAITING || ofSender >= MAX_WAITING_A_SENDER)
        return Promise.resolve(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => waiter.end(false), patienceMs);
      const waiter = {
        sender,
        end(hasPlace: boolean) {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(hasPlace);
        },
      };
      waiting.add(waiter);
      return promise;
    },
    /** Gives the place to the first sender that waits. */
    giveBack(): void {
      const [first] = waiting;
      if (first) first.end(true);
      else taken--;
    },
  };
}

/** Whether more than 16 KiB may come, by what the head announces. */
export function hasLongBody(c: Context): boolean {
  const length = c.req.header("content-length");
  if (length === undefined) return c.req.header("transfer-encoding") !== undefined;
  return Number(length) > SHORT_BYTES;
}
