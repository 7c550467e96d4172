import * as z from "zod/mini";
import { sessionStore } from "../../runtime/browser-storage.ts";

const PLACE_KEY = "place-after-sign-in";

const keptPlaceSchema = z.object({ userId: z.optional(z.string()), path: z.string() });

/** Keeps a place in this tab until the next sign-in: where a person was when their session ended, or what they opened without one. */
export function keepPlace(userId: string | undefined, path: string): void {
  sessionStore.write(PLACE_KEY, JSON.stringify({ userId, path }));
}

/** The kept place, once; undefined if it is somebody else's. Whoever signs in next, it is no longer kept. */
export function takeKeptPlace(userId: string | undefined): string | undefined {
  const kept = keptPlaceSchema.safeParse(sessionStore.readJson(PLACE_KEY));
  sessionStore.write(PLACE_KEY, undefined);
  if (!kept.success) return undefined;
  const { userId: keeper = userId, path } = kept.data;
  return keeper === userId ? path : undefined;
}
