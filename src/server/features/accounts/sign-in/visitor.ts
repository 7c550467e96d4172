import type { RequestOrigin } from "../../../http/request-origin.ts";

/** The origin of a request without a session: its network and browser. */
export interface Visitor extends RequestOrigin {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  network: string;
  /** The secret in the browser's cookie, or a new one if it sent none. */
  browser: string;
}
