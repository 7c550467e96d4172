import type { ReactNode } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import type { PendingSignIn } from "./pending-sign-in.ts";

/** The forms the entry screen switches between. */
export type AuthFormName = "login" | "register" | "forgot" | "reset" | "stop" | "verify" | "factor";

/** Which form a sign-in waits in for its second step. */
export function formOf(pending: PendingSignIn): AuthFormName {
  return pending.methods ? "factor" : "verify";
}

/** What one form hands to the next. */
export interface AuthCarry {
  /** What the last form said before it gave way. */
  notice?: ReactNode;
  /** To begin with. */
  email?: string;
  /** Only for `verify` and `factor`, which can't do without. */
  pending?: PendingSignIn;
}

export interface AuthFormProps extends IslandProps<"auth">, AuthCarry {
  onSwitch: (form: AuthFormName, carry?: AuthCarry) => void;
}
