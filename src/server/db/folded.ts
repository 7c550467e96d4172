import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** A text without case and accents, with single spaces: as `fold` in src/shared folds it, but for marks beyond the usual accents. */
export function folded(text: SQLWrapper): SQL {
  const unaccented = sql`regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]+', '', 'g')`;
  return sql`regexp_replace(lower(${unaccented}), '\\s+', ' ', 'g')`;
}
