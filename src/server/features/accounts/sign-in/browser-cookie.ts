import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Config } from "../../../config.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { networkOf } from "../../../http/network-of.ts";
import { originOf } from "../../../http/request-origin.ts";
import { newSecret } from "../mailed-links/secrets.ts";
import type { Visitor } from "./visitor.ts";

/** Identifies a browser, so that a sign-in stays with the browser that started it. It authenticates nobody. */
const NAME = "browser";
/** The longest that browsers keep a cookie. */
const KEPT_SECONDS = 400 * 24 * 3600;

/** Over https only the `__Host-` cookie counts: another host of the same domain could set one without the prefix. */
export function visitorOf(c: Context<HttpEnv>, config: Pick<Config, "publicUrl">): Visitor {
  const origin = originOf(c);
  const cookie = isSecure(config) ? getCookie(c, NAME, "host") : getCookie(c, NAME);
  const isOurs = cookie !== undefined && /^[A-Za-z0-9_-]{43}$/.test(cookie);
  return { ...origin, network: networkOf(origin.address), browser: isOurs ? cookie : newSecret() };
}

/** Sends the browser its cookie. Browsers refuse `__Host-` cookies over plain http. */
export function keepBrowser(
  c: Context<HttpEnv>,
  { browser }: Visitor,
  config: Pick<Config, "publicUrl">,
): void {
  const options = { path: "/", httpOnly: true, sameSite: "Strict", maxAge: KEPT_SECONDS } as const;
  if (isSecure(config)) setCookie(c, NAME, browser, { ...options, prefix: "host", secure: true });
  else setCookie(c, NAME, browser, options);
}

function isSecure({ publicUrl }: Pick<Config, "publicUrl">): boolean {
  return publicUrl.startsWith("https:");
}
