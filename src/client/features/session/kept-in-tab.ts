import * as z from "zod/mini";
import { sessionStore } from "../../runtime/browser-storage.ts";

const KEY = "kept-in-tab";
const MAX_VALUES = 10;
/** The longest value as JSON, in characters: the longest text of a form, with every character escaped. */
const MAX_LENGTH = 30_000;

const keptSchema = z.object({ userId: z.string(), values: z.record(z.string(), z.unknown()) });

/** What this tab keeps for a person until they sign out; it survives a reload, and a sign-in after the session expired. */
export function readKeptInTab(userId: string, name: string): unknown {
  return valuesOf(userId)[name];
}

/** Keeps a value by its name; undefined removes it. What another person left is erased. */
export function keepInTab(userId: string, name: string, value: unknown): void {
  const { [name]: _before, ...others } = valuesOf(userId);
  const isKept = value !== undefined && JSON.stringify(value).length <= MAX_LENGTH;
  const values = isKept ? [...Object.entries(others), [name, value] as const] : Object.entries(others);
  const bounded = Object.fromEntries(values.slice(-MAX_VALUES));
  sessionStore.write(KEY, values.length > 0 ? JSON.stringify({ userId, values: bounded }) : undefined);
}

/** Erases what another person left, before they opened anything that is kept. */
export function eraseKeptOfOthers(userId: string): void {
  valuesOf(userId);
}

export function eraseKeptInTab(): void {
  sessionStore.write(KEY, undefined);
}

function valuesOf(userId: string): Record<string, unknown> {
  const kept = keptSchema.safeParse(sessionStore.readJson(KEY));
  if (kept.success && kept.data.userId === userId) return kept.data.values;
  eraseKeptInTab();
  return {};
}
