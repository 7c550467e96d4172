import type { Locale } from "../../shared/locale.ts";
import type { SenderSlots } from "./sender-slots.ts";
import type { Session } from "./session.ts";

/** What the middleware of `app.ts` leaves in the context of a request. */
export interface HttpVariables {
  requestId: string;
  /** Of the request's peer, or of the last untrusted hop behind a trusted proxy. */
  address: string;
  locale: Locale;
  /** Places for the JSON bodies that come in. */
  bodies: SenderSlots;
  /** Tells that the caller may send the body of this request, and that it is read from now on. */
  admitBody: () => void;
  /** For the scripts and styles of the HTML shell. */
  nonce: string;
  /** Set by a guard that wants a session. */
  session: Session;
}

export type HttpEnv = { Variables: HttpVariables };
