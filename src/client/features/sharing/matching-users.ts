import type { Grant } from "../../../shared/api/studies.ts";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { fold } from "../../../shared/fold.ts";

const MAX_OFFERED = 6;

/**
 * Accounts whose name or e-mail holds `search`, whatever its case and accents, and that can be given a study. Leaves out
 * accounts that have it already, that can't sign in, and admins, who see every study. At most 6.
 */
export function matchingUsers(
  users: readonly CurrentUser[],
  grants: readonly Pick<Grant, "userId">[],
  search: string,
): CurrentUser[] {
  const wanted = fold(search.trim());
  const granted = new Set(grants.map(({ userId }) => userId));
  return users
    .filter(({ id, role, isAuthorized }) => isAuthorized && role !== "admin" && !granted.has(id))
    .filter(({ name, email }) => fold(`${name} ${email}`).includes(wanted))
    .slice(0, MAX_OFFERED);
}
