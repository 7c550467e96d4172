import {
  addUserCall,
  type CurrentUser,
  changeUserCall,
  clearFactorsCall,
  deleteUserCall,
  type FactorClearing,
  listUsersCall,
  type NewUser,
  type NewUserAnswer,
  type UserChange,
  type UserListQuery,
} from "../../../shared/api/users.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { callApi, callJson, callPage, type Page } from "../../calls/api.ts";

/** Calls about other people's accounts, for admins only. */
export const usersApi = {
  list: (query: UserListQuery, signal?: AbortSignal): Promise<Page<CurrentUser>> =>
    callPage(listUsersCall, { query, signal }),
  add: (body: NewUser): Promise<NewUserAnswer> =>
    answerInTime((signal) => callJson(addUserCall, { body, signal })),
  change: (id: string, body: UserChange): Promise<CurrentUser> =>
    callJson(changeUserCall, { params: { id }, body }),
  clearFactors: (id: string, body: FactorClearing) => callApi(clearFactorsCall, { params: { id }, body }),
  remove: (id: string) => callApi(deleteUserCall, { params: { id } }),
};
