import { acceptTermsCall } from "../../../shared/api/users.ts";
import { callJson } from "../../calls/api.ts";

export const termsApi = {
  accept: () => callJson(acceptTermsCall, {}),
};
