import * as z from "zod/mini";
import { sessionStore } from "../../runtime/browser-storage.ts";

const KEY = "link-after-sign-in";
/** For so long a person may take to sign in: a second factor, an account that they make, the terms. */
const LIFE_MS = 60 * 60_000;

const keptLinkSchema = z.object({
  /** Path and fragment, so nothing that leads to another origin. */
  address: z.string().check(z.regex(/^\/v\/[A-Za-z0-9-]+(#.*)?$/)),
  /** In epoch milliseconds. */
  at: z.number(),
});

/**
 * Keeps the page of a link, which a person leaves to sign in. Its fragment is the link's secret, so it is kept in this tab alone, as its
 * history keeps it.
 */
export function keepLink({ pathname, hash }: Pick<Location, "pathname" | "hash">, now: number): void {
  sessionStore.write(KEY, JSON.stringify({ address: `${pathname}${hash}`, at: now }));
}

/** The address to lead a person back to who signs in; undefined if they came from no link, or an hour ago. */
export function readKeptLink(now: number): string | undefined {
  const kept = keptLinkSchema.safeParse(sessionStore.readJson(KEY));
  return kept.success && Math.abs(now - kept.data.at) < LIFE_MS ? kept.data.address : undefined;
}

export function dropKeptLink(): void {
  sessionStore.write(KEY, undefined);
}

/** Leads back to the link's page, if there is one. */
export function returnToLink(): void {
  const address = readKeptLink(Date.now());
  dropKeptLink();
  if (address !== undefined) window.location.replace(address);
}
