import type { ReactNode } from "react";
import type { IslandProps } from "../../../shared/islands.ts";

/** The forms the entry screen switches between. */
export type AuthFormName = "login" | "register";

export interface AuthFormProps extends IslandProps<"auth"> {
  /** What the last form said before it gave way to this one. */
  notice?: ReactNode;
  /** To begin with. */
  email?: string;
  onSwitch: (form: AuthFormName, carry?: { notice?: ReactNode; email?: string }) => void;
}
