import {
  type ExportTicket,
  exportTicketSchema,
  type OwnDeletion,
  type ProfileAnswer,
  type ProfileChange,
  profileAnswerSchema,
} from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../api.ts";

export const profileApi = {
  change: (body: ProfileChange): Promise<ProfileAnswer> =>
    callJson(profileAnswerSchema, "/api/users/profile", { method: "PATCH", body }),
  exportTicket: (): Promise<ExportTicket> =>
    callJson(exportTicketSchema, "/api/users/export-ticket", { method: "POST", body: {} }),
  deleteAccount: (body: OwnDeletion) => callApi("/api/users/delete-own", { method: "POST", body }),
};
