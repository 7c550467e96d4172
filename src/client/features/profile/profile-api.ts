import { type ProfileAnswer, type ProfileChange, profileAnswerSchema } from "../../../shared/api/users.ts";
import { callJson } from "../../api.ts";

export const profileApi = {
  change: (body: ProfileChange): Promise<ProfileAnswer> =>
    callJson(profileAnswerSchema, "/api/users/profile", { method: "PATCH", body }),
};
