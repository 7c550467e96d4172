import {
  changeProfileCall,
  deleteOwnAccountCall,
  type ExportTicket,
  exportTicketCall,
  type OwnDeletion,
  type ProfileAnswer,
  type ProfileChange,
} from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../api.ts";

export const profileApi = {
  change: (body: ProfileChange): Promise<ProfileAnswer> => callJson(changeProfileCall, { body }),
  exportTicket: (): Promise<ExportTicket> => callJson(exportTicketCall, {}),
  deleteAccount: (body: OwnDeletion) => callApi(deleteOwnAccountCall, { body }),
};
