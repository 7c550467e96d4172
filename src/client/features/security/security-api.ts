import {
  type Factors,
  factorsSchema,
  type IdentityProof,
  type NewPasskey,
  type Passkey,
  type PasskeyAnswer,
  passkeyAnswerSchema,
  passkeyOptionsSchema,
  passkeySchema,
  type RecoveryCodesAnswer,
  recoveryCodesAnswerSchema,
  type TotpEnrolment,
  totpEnrolmentSchema,
} from "../../../shared/api/factors.ts";
import { callApi, callJson } from "../../api.ts";

const post = (body: unknown) => ({ method: "POST", body }) as const;

/** Calls about one's own passkeys, authenticator app and recovery codes. */
export const securityApi = {
  factors: (signal?: AbortSignal): Promise<Factors> =>
    callJson(factorsSchema, "/api/auth/factors", { signal }),
  proofOptions: (): Promise<object> =>
    callJson(passkeyOptionsSchema, "/api/auth/passkeys/proof-options", post({})),
  registrationOptions: (proof: IdentityProof): Promise<object> =>
    callJson(passkeyOptionsSchema, "/api/auth/passkeys/registration-options", post(proof)),
  addPasskey: (passkey: NewPasskey): Promise<PasskeyAnswer> =>
    callJson(passkeyAnswerSchema, "/api/auth/passkeys", post(passkey)),
  renamePasskey: (id: string, name: string): Promise<Passkey> =>
    callJson(passkeySchema, `/api/auth/passkeys/${id}`, { method: "PATCH", body: { name } }),
  removePasskey: (id: string, proof: IdentityProof) =>
    callApi(`/api/auth/passkeys/${id}/remove`, post(proof)),
  beginTotp: (proof: IdentityProof): Promise<TotpEnrolment> =>
    callJson(totpEnrolmentSchema, "/api/auth/totp", post(proof)),
  confirmTotp: (code: string): Promise<RecoveryCodesAnswer> =>
    callJson(recoveryCodesAnswerSchema, "/api/auth/totp/confirm", post({ code })),
  removeTotp: (proof: IdentityProof) => callApi("/api/auth/totp/remove", post(proof)),
  renewRecoveryCodes: (proof: IdentityProof): Promise<RecoveryCodesAnswer> =>
    callJson(recoveryCodesAnswerSchema, "/api/auth/recovery-codes", post(proof)),
};
