import { fold } from "../fold.ts";
import type { DicomJsonElement } from "./reading/instance.ts";

/* Names (PN) as searches compare them: without case, accents and carets (PS3.4 §C.2.2.2.1). */

const GROUPS = ["Alphabetic", "Ideographic", "Phonetic"] as const;

export function foldName(name: string): string {
  return fold(name.replace(/[\^=]+/g, " "));
}

/** The words of a name; carets and the groups' sign separate them too. */
export function wordsOf(name: string): string[] {
  return foldName(name.replace(/[*?,]/g, " "))
    .split(" ")
    .filter((word) => word !== "");
}

/** Every group of every value of a name, folded, each between two `=`; null for no name. */
export function foldedGroups(name: DicomJsonElement | undefined): string | null {
  const groups = (name?.Value ?? []).flatMap((value) => {
    if (typeof value !== "object" || value === null) return [];
    const parts = value as Record<string, unknown>;
    return GROUPS.map((group) => foldName(String(parts[group] ?? ""))).filter((text) => text !== "");
  });
  return groups.length > 0 ? `=${groups.join("=")}=` : null;
}

/** A pattern with wildcards for one group, or for several that follow each other, as {@link foldedGroups} writes them. */
export function foldedPattern(pattern: string): string {
  return `=${pattern
    .split("=")
    .map(foldName)
    .filter((group) => group !== "")
    .join("=")}=`;
}

const LONGEST_GRAM = 3;

/**
 * What a name holds if it matches a pattern or begins with its words: letters beyond ASCII, three in a row, or all that are in a row.
 * Each once; none for a pattern of ASCII alone.
 */
export function gramsOf(pattern: string): string[] {
  const rows = foldName(pattern).match(/[^\0-\x7f]+/gu) ?? [];
  const grams = rows.flatMap((row) => {
    const letters = [...row];
    const count = Math.max(1, letters.length - LONGEST_GRAM + 1);
    return Array.from({ length: count }, (_, place) => letters.slice(place, place + LONGEST_GRAM).join(""));
  });
  return [...new Set(grams)];
}
