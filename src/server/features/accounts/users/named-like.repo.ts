import { or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { folded } from "../../../db/folded.ts";
import { users } from "./users.table.ts";

/** Whether an account's name or e-mail has this part, whatever its case and accents; nothing if there is no text. */
export function isNamedLike(search = ""): SQL | undefined {
  if (search.trim() === "") return undefined;
  // Folded by PostgreSQL as the names are: `fold` drops more, such as the marks of Japanese and Hebrew.
  const text = folded(sql`${search.trim()}::text`);
  const has = (column: AnyPgColumn) => sql`strpos(${folded(column)}, ${text}) > 0`;
  return or(has(users.name), has(users.email));
}
