import type { CurrentUser } from "../../../../shared/api/users.ts";
import type { UserRow } from "./users.table.ts";

/** A user as the API shows them; `expiresAt` comes from their subscription. */
export function presentUser(row: UserRow, expiresAt: Date | null): CurrentUser {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    cpfcnpj: row.cpfcnpj,
    role: row.role,
    isTrial: row.isTrial,
    isAuthorized: row.isAuthorized,
    createdAt: row.createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    profileImageUrl: row.profileImageUrl,
    termsAcceptedAt: row.termsAcceptedAt?.toISOString() ?? null,
  };
}
