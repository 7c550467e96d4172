import { type UserRow, users } from "../accounts/users/users.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";

/** What decides whether others may use what an account keeps or asks for, from `users` left-joined with its subscription. */
export interface OwnerStanding {
  ownerRole: UserRow["role"];
  isAuthorized: boolean;
  subscriptionStatus: typeof subscriptions.$inferSelect.status | null;
  subscriptionExpiresAt: Date | null;
}

export const ownerFields = {
  ownerRole: users.role,
  isAuthorized: users.isAuthorized,
  subscriptionStatus: subscriptions.status,
  subscriptionExpiresAt: subscriptions.expiresAt,
};
