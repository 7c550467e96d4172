import {
  type ResetPassword,
  type StopAnswer,
  stopAnswerSchema,
  type VerifyCode,
} from "../../../shared/api/auth.ts";
import { type SignedInUser, signedInUserSchema } from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls of the forms behind the login form. */
export const authApi = {
  verifyCode: (body: VerifyCode): Promise<SignedInUser> =>
    callJson(signedInUserSchema, "/api/auth/verify-2fa", { method: "POST", body }),
  resendCode: (email: string) => callApi("/api/auth/resend-code", { method: "POST", body: { email } }),
  forgotPassword: (email: string) =>
    callApi("/api/auth/forgot-password", { method: "POST", body: { email } }),
  resetPassword: (body: ResetPassword) =>
    callApi("/api/auth/reset-password", { method: "POST", body, anonymous: true }),
  stopEmailChange: (token: string): Promise<StopAnswer> =>
    callJson(stopAnswerSchema, "/api/auth/stop-email-change", {
      method: "POST",
      body: { token },
      anonymous: true,
    }),
};
