import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** A text as a pattern of `like` that matches it alone. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Whether a text contains another one; an index of trigrams finds it. */
export function contains(searched: SQLWrapper, text: string): SQL {
  return sql`${searched} like ${`%${escapeLike(text)}%`}`;
}
