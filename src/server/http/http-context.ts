import type { Locale } from "../../shared/locale.ts";
import type { SenderSlots } from "./sender-slots.ts";
import type { Session } from "./session.ts";

/** What the middleware of `app.ts` leaves in the context of a request. */
export interface HttpVariables {
  requestId: string;
  /** The address of the peer, or of the last untrusted hop behind a trusted proxy. */
  address: string;
  locale: Locale;
  /** The methods that the routes at a path answer. */
  allowedMethods: (path: string) => readonly string[];
  /** Slots for incoming JSON bodies; "short" is what `hasLongBody` denies. */
  bodies: { long: SenderSlots; short: SenderSlots };
  /** Records that the caller may send the body of this request, and that it is being read. */
  admitBody: () => void;
  /** For the scripts and styles of the HTML shell. */
  nonce: string;
  /** Set by a guard that requires a session. */
  session: Session;
  /** The caller as they are now, if the guard would still let them in. @throws {AppError} */
  readmit: () => Promise<Session>;
}

export type HttpEnv = { Variables: HttpVariables };
