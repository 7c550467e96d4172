import type { Role } from "../../shared/api/users.ts";

/** Who is asking, as the database says at this request. */
export interface Session {
  id: string;
  userId: string;
  role: Role;
  /** Whether uploads, lists and lab exams are open to him: subscription in force, or admin. */
  hasActiveSubscription: boolean;
}

/** Resolves a bearer token; `undefined` where it opens nothing (any more). */
export type FindSession = (token: string) => Promise<Session | undefined>;
