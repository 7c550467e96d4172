import { type Activity, activityCall } from "../../../shared/api/activity.ts";
import {
  changeProfileCall,
  deleteOwnAccountCall,
  type OwnDeletion,
  type ProfileAnswer,
  type ProfileChange,
} from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../calls/api.ts";

export const profileApi = {
  change: (body: ProfileChange): Promise<ProfileAnswer> => callJson(changeProfileCall, { body }),
  deleteAccount: (body: OwnDeletion) => callApi(deleteOwnAccountCall, { body }),
  activity: (before: number | undefined, signal?: AbortSignal): Promise<Activity> =>
    callJson(activityCall, { query: { before }, signal }),
};
