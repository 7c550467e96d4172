import type { Handler, MiddlewareHandler } from "hono";
import { findTargetHandler } from "hono/utils/handler";
import { uniqueSymbol } from "hono-openapi";
import type { TokenScope } from "../../shared/api/access-tokens.ts";
import type { Role } from "../../shared/api/users.ts";
import { AppError, type ErrorKind } from "./app-error.ts";
import { PROBLEM_CODES } from "./describe.ts";
import { forbidden, unauthenticated, validationFailed } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";
import type { FindSession, Session } from "./session.ts";

/**
 * Who may call a route. Every route declares it, which a test checks: `public`, or a session that has one of `roles` and an
 * active subscription where those are given. Admins always count as subscribed; for `viewing`, so do doctors and labs. An access
 * token opens only a route that names one of its scopes, and a delivery's only one that names deliveries.
 */
export type Access =
  | "public"
  | {
      roles?: readonly Role[];
      subscription?: "own" | "viewing";
      scope?: TokenScope;
      /** Whether somebody without an account who delivers exams may call it. */
      deliveries?: boolean;
    };

export const subscriptionRequired: ErrorKind = {
  status: 403,
  code: "subscription.required",
  text: /*i18n*/ {
    id: "error.subscription.required",
    message: "An active subscription is required. Choose a plan to continue.",
  },
};

export const tokenForbidden: ErrorKind = {
  status: 403,
  code: "token.forbidden",
  text: /*i18n*/ { id: "error.token.forbidden", message: "This access token is not allowed to do this." },
};

const declaredAccess = new WeakMap<object, Access>();

/** The access a handler declares, if it is a guard; routes with their own error handler wrap it. */
export function accessOf(handler: Handler): Access | undefined {
  return declaredAccess.get(findTargetHandler(handler));
}

/** PostgreSQL stores no U+0000, so a path with it names nothing. `validate` checks queries and bodies. */
const PATH_WITH_NUL = /^[^?]*%00/;

export type Guard = (access: Access) => MiddlewareHandler<HttpEnv>;

/** Guards in a fixed order: session (401), scope, role, subscription (403); validation comes behind them. */
export function createGuard(findSession: FindSession): Guard {
  return (access) => {
    const handler: MiddlewareHandler<HttpEnv> = async (c, next) => {
      if (access !== "public") {
        const token = bearerToken(c.req.header("authorization"));
        const admit = async () => {
          const session = token && (await findSession(token));
          if (!session) throw new AppError(unauthenticated);
          assertMay(session, access);
          return session;
        };
        c.set("session", await admit());
        c.set("readmit", admit);
      }
      if (PATH_WITH_NUL.test(c.req.url)) throw new AppError(validationFailed);
      await next();
    };
    declaredAccess.set(handler, access);
    return Object.assign(handler, { [uniqueSymbol]: { spec: describeAccess(access) } });
  };
}

/** A guard's description of its route in the API's document. */
function describeAccess(access: Access) {
  if (access === "public") return { security: [] };
  const { roles, subscription, scope, deliveries } = access;
  const refusals = [
    unauthenticated,
    tokenForbidden,
    ...(roles ? [forbidden] : []),
    ...(subscription ? [subscriptionRequired] : []),
  ];
  return {
    security: [
      { session: [] },
      ...(scope ? [{ accessToken: [scope] }] : []),
      ...(deliveries ? [{ delivery: [] }] : []),
    ],
    [PROBLEM_CODES]: refusals.map(({ code }) => code),
    ...(roles && { "x-roles": roles }),
    ...(subscription && { "x-subscription": subscription }),
  };
}

/** @throws {AppError} 403 */
function assertMay(session: Session, access: Exclude<Access, "public">): void {
  if (!isInScope(session, access)) throw new AppError(tokenForbidden);
  if (access.roles && !access.roles.includes(session.role)) throw new AppError(forbidden);
  if (!isSubscribed(session, access.subscription)) throw new AppError(subscriptionRequired);
}

function isInScope(
  { scopes, delivery }: Session,
  { scope: wanted, deliveries = false }: Exclude<Access, "public">,
): boolean {
  if (delivery) return deliveries;
  return scopes === undefined || (wanted !== undefined && scopes.includes(wanted));
}

/** Whether a session's subscription is active, or the route asks for none. */
export function isSubscribed(session: Session, wanted: "own" | "viewing" | undefined): boolean {
  if (wanted === undefined || session.hasActiveSubscription) return true;
  return wanted === "viewing" && (session.role === "doctor" || session.role === "lab");
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(authorization ?? "")?.[1];
}
