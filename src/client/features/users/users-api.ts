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
import { answerInTime } from "../../answer-in-time.ts";
import { callApi, callJson, readAnswer } from "../../api.ts";

export interface UserPage {
  users: CurrentUser[];
  /** How many pass the filters. */
  total: number;
}

/** Calls about other people's accounts, for admins only. */
export const usersApi = {
  async list(query: UserListQuery, signal?: AbortSignal): Promise<UserPage> {
    const answer = await callApi(listUsersCall, { query, signal });
    const users = listUsersCall.answer.parse(await readAnswer(answer.json()));
    return { users, total: Number(answer.headers.get("x-total-count") ?? users.length) };
  },
  add: (body: NewUser): Promise<NewUserAnswer> =>
    answerInTime((signal) => callJson(addUserCall, { body, signal })),
  change: (id: string, body: UserChange): Promise<CurrentUser> =>
    callJson(changeUserCall, { params: { id }, body }),
  clearFactors: (id: string, body: FactorClearing) => callApi(clearFactorsCall, { params: { id }, body }),
  remove: (id: string) => callApi(deleteUserCall, { params: { id } }),
};
