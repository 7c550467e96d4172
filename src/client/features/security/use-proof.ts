import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Factors, IdentityProof } from "../../../shared/api/factors.ts";
import { ApiError } from "../../calls/api.ts";
import { showToast } from "../../ui/toast.tsx";
import { askForPasskey, PasskeyFailure } from "./passkey-browser.ts";
import { securityApi } from "./security-api.ts";
import { hasFactor, refreshFactors } from "./use-factors.ts";

type ProofField = "currentPassword" | "code";

const fieldOfCode: Record<string, ProofField> = {
  "auth.wrong_current_password": "currentPassword",
  "auth.factor_required": "code",
  "auth.wrong_factor": "code",
};

export type Proof = ReturnType<typeof useProof>;

/**
 * What a change of the factors asks of its owner: the password and, where there is one, a factor: a typed code, or
 * else a passkey. With `isFirstFree` nothing is asked before the server wants it.
 */
export function useProof(factors: Factors, { isFirstFree = false } = {}) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const [isFactorAsked, setFactorAsked] = useState(false);
  const wantsFactor = hasFactor(factors) || isFactorAsked;
  const hasPasskey = factors.passkeys.length > 0 && factors.passkeysAvailable;
  const [isAsked, setAsked] = useState(wantsFactor || !isFirstFree);
  const [values, setValues] = useState<Record<ProofField, string>>({ currentPassword: "", code: "" });
  const [errors, setErrors] = useState<Partial<Record<ProofField, string>>>({});
  const { currentPassword } = values;
  const code = values.code.trim();

  /** Undefined where the person turned away from the browser's question for a passkey. */
  const collect = async (): Promise<IdentityProof | undefined> => {
    setErrors({});
    if (!isAsked) return {};
    if (!wantsFactor || code !== "" || !hasPasskey) return { currentPassword, ...(code !== "" && { code }) };
    const passkey = await askForPasskey(await securityApi.proofOptions());
    return passkey && { currentPassword, passkey };
  };

  /** Says what went wrong: at its field, or in a toast under `title`. @throws what is no answer to the person */
  const refuse = (error: unknown, title: string): void => {
    const text = textOf(error);
    const field = error instanceof ApiError ? fieldOfCode[error.code] : undefined;
    if (!field) showToast({ tone: "bad", title, text });
    // Asked for only now: nothing was wrong yet.
    else if (!isAsked) setAsked(true);
    else if (field === "code" && !wantsFactor) {
      // Another tab added the first factor.
      setFactorAsked(true);
      void refreshFactors(queryClient);
    } else setErrors({ [field]: text });
  };

  const textOf = (error: unknown): string => {
    if (error instanceof ApiError) return error.message;
    if (!(error instanceof PasskeyFailure)) throw error;
    return error.reason === "known"
      ? t({ id: "security.passkey.known", message: "This device holds a passkey for this account already." })
      : t({ id: "security.passkey.impossible", message: "This browser or device can't do this." });
  };

  return {
    isAsked,
    wantsFactor,
    hasPasskey,
    isReady: !isAsked || (currentPassword !== "" && (!wantsFactor || hasPasskey || code !== "")),
    values,
    errors,
    set: (field: ProofField, value: string) => setValues((before) => ({ ...before, [field]: value })),
    collect,
    refuse,
  };
}
