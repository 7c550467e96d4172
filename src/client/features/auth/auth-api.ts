import {
  forgotPasswordCall,
  type ResetPassword,
  resendCodeCall,
  resetPasswordCall,
  type StopAnswer,
  stopEmailChangeCall,
  type VerifyCode,
  verifyCodeCall,
} from "../../../shared/api/auth.ts";
import {
  type Acceptance,
  type AcceptedInvitation,
  acceptInvitationCall,
  type InvitationOffer,
  readInvitationCall,
} from "../../../shared/api/invitations.ts";
import type { SignedInUser } from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../calls/api.ts";

/** Calls of the forms behind the login form. */
export const authApi = {
  verifyCode: (body: VerifyCode): Promise<SignedInUser> => callJson(verifyCodeCall, { body }),
  resendCode: (email: string) => callApi(resendCodeCall, { body: { email } }),
  forgotPassword: (email: string) => callApi(forgotPasswordCall, { body: { email } }),
  resetPassword: (body: ResetPassword) => callApi(resetPasswordCall, { body, anonymous: true }),
  readInvitation: (token: string): Promise<InvitationOffer> =>
    callJson(readInvitationCall, { body: { token }, anonymous: true }),
  acceptInvitation: (body: Acceptance): Promise<AcceptedInvitation> =>
    callJson(acceptInvitationCall, { body }),
  stopEmailChange: (token: string): Promise<StopAnswer> =>
    callJson(stopEmailChangeCall, { body: { token }, anonymous: true }),
};
