import * as z from "zod/mini";
import { crc32 } from "../shared/zip/crc32.ts";
import { localStore } from "./runtime/browser-storage.ts";

const KEY = "signed-out";
const MAX_MARKS = 20;

/**
 * Notes in the whole browser that a person signed out of a session. A tab that was closed, asleep or on a page without a person hears
 * no message, and still has a copy of the session.
 */
export function noteSignedOut(token: string): void {
  const marks = [...readMarks().filter((mark) => mark !== markOf(token)), markOf(token)];
  localStore.write(KEY, JSON.stringify(marks.slice(-MAX_MARKS)));
}

export function isSignedOut(token: string): boolean {
  return readMarks().includes(markOf(token));
}

function readMarks(): number[] {
  const marks = z.array(z.number()).safeParse(localStore.readJson(KEY));
  return marks.success ? marks.data : [];
}

/** Tells a token from others, and holds nothing of it. */
export function markOf(token: string): number {
  return crc32(new TextEncoder().encode(token));
}
