import * as z from "zod/mini";
import { type CurrentUser, currentUserSchema } from "../../../shared/api/users.ts";
import { readKept } from "../../session.ts";

const withUserSchema = z.object({ user: currentUserSchema });

/** The user of what the browser keeps with the session; undefined if it keeps nothing. */
export function readKeptUser(): CurrentUser | undefined {
  const kept = withUserSchema.safeParse(readKept());
  return kept.success ? kept.data.user : undefined;
}
