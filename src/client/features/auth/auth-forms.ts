import type { ReactNode, RefObject } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import type { PendingSignIn } from "./pending-sign-in.ts";

/** The forms the entry screen switches between. */
export type AuthFormName =
  | "local"
  | "login"
  | "register"
  | "forgot"
  | "reset"
  | "stop"
  | "invitation"
  | "verify"
  | "factor";

/** The form for the second step of a sign-in. */
export function formOf(pending: PendingSignIn): AuthFormName {
  return pending.methods ? "factor" : "verify";
}

/** The values that one form hands to the next. */
export interface AuthCarry {
  /** The message that the last form left. */
  notice?: ReactNode;
  /** Initial value of the e-mail field. */
  email?: string;
  /** Only for `verify` and `factor`, which require it. */
  pending?: PendingSignIn;
  /** Whether the page's invitation is to be accepted in the session that begins next. */
  awaitsInvitation?: boolean;
}

/** What was typed for a new account before the person looked at another form. Passwords are typed again. */
export interface RegisterDraft {
  name: string;
  email: string;
  cpfcnpj: string;
}

export interface AuthFormProps extends IslandProps<"auth">, AuthCarry {
  registerDraft?: RefObject<RegisterDraft | undefined>;
  onSwitch: (form: AuthFormName, carry?: AuthCarry) => void;
}
