import * as z from "zod/mini";
import {
  type CurrentUser,
  currentUserSchema,
  type FactorClearing,
  type NewUser,
  type NewUserAnswer,
  newUserAnswerSchema,
  type UserChange,
} from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls about other people's accounts; only an admin's are answered. */
export const usersApi = {
  list: (signal?: AbortSignal): Promise<CurrentUser[]> =>
    callJson(z.array(currentUserSchema), "/api/users", { signal }),
  add: (body: NewUser): Promise<NewUserAnswer> =>
    callJson(newUserAnswerSchema, "/api/users", { method: "POST", body }),
  change: (id: string, body: UserChange): Promise<CurrentUser> =>
    callJson(currentUserSchema, `/api/users/${id}`, { method: "PATCH", body }),
  clearFactors: (id: string, body: FactorClearing) =>
    callApi(`/api/users/${id}/clear-factors`, { method: "POST", body }),
  remove: (id: string) => callApi(`/api/users/${id}`, { method: "DELETE" }),
};
