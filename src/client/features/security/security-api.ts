import {
  addPasskeyCall,
  beginTotpCall,
  confirmTotpCall,
  type Factors,
  factorsCall,
  type IdentityProof,
  type NewPasskey,
  type Passkey,
  type PasskeyAnswer,
  proofOptionsCall,
  type RecoveryCodesAnswer,
  registrationOptionsCall,
  removePasskeyCall,
  removeTotpCall,
  renamePasskeyCall,
  renewRecoveryCodesCall,
  type TotpEnrolment,
} from "../../../shared/api/factors.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { callApi, callJson } from "../../calls/api.ts";

/** Calls about one's own passkeys, authenticator app and recovery codes. */
export const securityApi = {
  factors: (signal?: AbortSignal): Promise<Factors> => callJson(factorsCall, { signal }),
  proofOptions: (): Promise<object> => callJson(proofOptionsCall, {}),
  registrationOptions: (body: IdentityProof): Promise<object> => callJson(registrationOptionsCall, { body }),
  addPasskey: (body: NewPasskey): Promise<PasskeyAnswer> =>
    answerInTime((signal) => callJson(addPasskeyCall, { body, signal })),
  renamePasskey: (id: string, name: string): Promise<Passkey> =>
    callJson(renamePasskeyCall, { params: { id }, body: { name } }),
  removePasskey: (id: string, body: IdentityProof) => callApi(removePasskeyCall, { params: { id }, body }),
  beginTotp: (body: IdentityProof): Promise<TotpEnrolment> => callJson(beginTotpCall, { body }),
  confirmTotp: (code: string): Promise<RecoveryCodesAnswer> =>
    answerInTime((signal) => callJson(confirmTotpCall, { body: { code }, signal })),
  removeTotp: (body: IdentityProof) => callApi(removeTotpCall, { body }),
  renewRecoveryCodes: (body: IdentityProof): Promise<RecoveryCodesAnswer> =>
    answerInTime((signal) => callJson(renewRecoveryCodesCall, { body, signal })),
};
