import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { HttpEnv } from "../../../http/http-context.ts";
import { trustedDeviceSeconds } from "./verify-code.ts";

/** The cookie skips the code at sign-in. It never authorises a request. */
const NAME = "device";

export function readDeviceCookie(c: Context<HttpEnv>): string | undefined {
  return getCookie(c, NAME, "host");
}

export function writeDeviceCookie(c: Context<HttpEnv>, deviceToken: string): void {
  setCookie(c, NAME, deviceToken, {
    prefix: "host",
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Strict",
    maxAge: trustedDeviceSeconds,
  });
}
