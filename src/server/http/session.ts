import type { TokenScope } from "../../shared/api/access-tokens.ts";
import type { Role } from "../../shared/api/users.ts";

/** The caller of a request, as the database describes them at this request. */
export interface Session {
  id: string;
  userId: string;
  role: Role;
  /** Whether uploads, lists and lab exams are open to them: an active subscription, or an admin. */
  hasActiveSubscription: boolean;
  /** Whether their uploads take turns with those of all trial accounts. */
  isTrial: boolean;
  /** The scopes of the access token that calls; absent for a person's own session. */
  scopes?: readonly TokenScope[];
  /** The delivery of somebody without an account who sends exams to this one. They reach only uploads, and only their own. */
  delivery?: { id: string; from: string };
}

/** Resolves a bearer token. `undefined` if it is not, or no longer, valid. */
export type FindSession = (token: string) => Promise<Session | undefined>;
