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
  /** Of the access token that calls; absent for a session of the person's own. */
  scopes?: readonly TokenScope[];
  /** Of somebody without an account who delivers exams to this one: they reach nothing but uploads, and of these only their own. */
  delivery?: { id: string; from: string };
}

/** Resolves a bearer token. `undefined` if it is not, or no longer, valid. */
export type FindSession = (token: string) => Promise<Session | undefined>;
