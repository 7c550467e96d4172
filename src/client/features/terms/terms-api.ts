import * as z from "zod/mini";
import { callJson } from "../../api.ts";

const acceptanceSchema = z.object({ termsAcceptedAt: z.string() });

export const termsApi = {
  accept: () => callJson(acceptanceSchema, "/api/users/accept-terms", { method: "POST" }),
};
