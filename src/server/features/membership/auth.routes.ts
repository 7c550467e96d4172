import { Hono } from "hono";
import {
  currentUserCall,
  forgotPasswordCall,
  loginCall,
  logoutCall,
  resendCodeCall,
  resetPasswordCall,
  stopEmailChangeCall,
  verifyCodeCall,
} from "../../../shared/api/auth.ts";
import { passkeySignInCall } from "../../../shared/api/factors.ts";
import { registerCall } from "../../../shared/api/register.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { tooManyRequests } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import {
  deadLink,
  deadStop,
  emailTaken,
  notAuthorized,
  registrationClosed,
  wrongCode,
  wrongCredentials,
} from "../accounts/accounts.errors.ts";
import { stopEmailChange } from "../accounts/addresses/stop-email-change.ts";
import { wrongPasskey } from "../accounts/factors/factors.errors.ts";
import { signInWithPasskey } from "../accounts/factors/sign-in-with-passkey.ts";
import { forgotPassword, resetPassword } from "../accounts/passwords/reset-password.ts";
import { signOut } from "../accounts/sessions/sign-out.ts";
import { keepBrowser, visitorOf } from "../accounts/sign-in/browser-cookie.ts";
import { readDeviceCookie, writeDeviceCookie } from "../accounts/sign-in/device-cookie.ts";
import { resendCode } from "../accounts/sign-in/send-code.ts";
import { signIn } from "../accounts/sign-in/sign-in.ts";
import { verifyCode } from "../accounts/sign-in/verify-code.ts";
import { presentSession } from "./present-session.ts";
import { readCurrentUser } from "./read-current-user.ts";
import { registerUser } from "./register-user.ts";

const describe = describeIn("Signing in");
const describeFactors = describeIn("Second factors");

export function createAuthRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    registerCall.path,
    guard("public"),
    describe(registerCall, {
      summary: "Create an account",
      status: 201,
      details:
        "REGISTRATION of the operator says whether it may sign in at once, after an admin allows it, or not at all. Its trial begins now.",
      problems: [emailTaken, registrationClosed, tooManyRequests],
    }),
    validate("json", registerCall.body),
    async (c) =>
      c.json(await registerUser(deps, { ...c.req.valid("json"), locale: c.get("locale") }, originOf(c)), 201),
  );

  routes.post(
    loginCall.path,
    guard("public"),
    describe(loginCall, {
      summary: "Sign in with e-mail and password",
      details:
        "Answers the user with `token`, or `requiresTwoFactor` where a second step is wanted: a mailed code, or one of `methods`.",
      problems: [wrongCredentials, notAuthorized, tooManyRequests],
    }),
    validate("json", loginCall.body),
    async (c) => {
      const device = { deviceToken: readDeviceCookie(c), locale: c.get("locale") };
      const visitor = visitorOf(c, deps.config);
      const answer = await signIn(deps, { ...c.req.valid("json"), ...device }, visitor);
      keepBrowser(c, visitor, deps.config);
      return c.json("token" in answer ? await presentSession(deps, answer) : answer);
    },
  );

  routes.post(
    verifyCodeCall.path,
    guard("public"),
    describe(verifyCodeCall, {
      summary: "Sign in with the second step's code",
      problems: [wrongCode, notAuthorized, tooManyRequests],
    }),
    validate("json", verifyCodeCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      const visitor = visitorOf(c, deps.config);
      const { opened, deviceToken } = await verifyCode(deps, input, visitor);
      if (deviceToken) writeDeviceCookie(c, deviceToken);
      keepBrowser(c, visitor, deps.config);
      return c.json(await presentSession(deps, opened));
    },
  );

  routes.post(
    passkeySignInCall.path,
    guard("public"),
    describeFactors(passkeySignInCall, { summary: "Sign in with a passkey", problems: [wrongPasskey] }),
    validate("json", passkeySignInCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      const visitor = visitorOf(c, deps.config);
      const opened = await signInWithPasskey(deps, input, visitor);
      keepBrowser(c, visitor, deps.config);
      return c.json(await presentSession(deps, opened));
    },
  );

  routes.post(
    resendCodeCall.path,
    guard("public"),
    describe(resendCodeCall, {
      summary: "Mail another code",
      details: "Answers the same whether or not a sign-in waits.",
      problems: [tooManyRequests],
    }),
    validate("json", resendCodeCall.body),
    async (c) => {
      await resendCode(deps, { ...c.req.valid("json"), locale: c.get("locale") }, visitorOf(c, deps.config));
      return c.json({ sent: true });
    },
  );

  routes.post(
    forgotPasswordCall.path,
    guard("public"),
    describe(forgotPasswordCall, {
      summary: "Mail a link to choose a new password",
      details: "Answers the same whether or not there is such an account.",
      problems: [tooManyRequests],
    }),
    validate("json", forgotPasswordCall.body),
    async (c) => {
      await forgotPassword(
        deps,
        { ...c.req.valid("json"), locale: c.get("locale") },
        visitorOf(c, deps.config),
      );
      return c.json({ sent: true });
    },
  );

  routes.post(
    resetPasswordCall.path,
    guard("public"),
    describe(resetPasswordCall, {
      summary: "Choose a new password with a mailed token",
      details: "Ends every session and every access token of the account.",
      problems: [deadLink],
    }),
    validate("json", resetPasswordCall.body),
    async (c) => {
      const visitor = visitorOf(c, deps.config);
      await resetPassword(deps, c.req.valid("json"), visitor);
      keepBrowser(c, visitor, deps.config);
      return c.json({ reset: true });
    },
  );

  routes.post(
    stopEmailChangeCall.path,
    guard("public"),
    describe(stopEmailChangeCall, {
      summary: "Stop a change of e-mail with a mailed token",
      problems: [deadStop],
    }),
    validate("json", stopEmailChangeCall.body),
    async (c) => c.json(await stopEmailChange(deps, c.req.valid("json").token, originOf(c))),
  );

  routes.post(
    logoutCall.path,
    guard({}),
    describe(logoutCall, {
      summary: "Sign out",
      details: "Ends the session, its viewer tokens and its tickets at once.",
    }),
    async (c) => {
      await signOut(deps, c.get("session"), originOf(c));
      return c.json({ signedOut: true });
    },
  );

  routes.get(
    currentUserCall.path,
    guard({ scope: "api" }),
    describe(currentUserCall, { summary: "Read the current user" }),
    async (c) => c.json(await readCurrentUser(deps, c.get("session"))),
  );

  return routes;
}
