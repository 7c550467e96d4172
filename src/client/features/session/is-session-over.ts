import { currentUserCall } from "../../../shared/api/auth.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { ApiError, callApi } from "../../calls/api.ts";
import { currentToken } from "../../session.ts";

/** Asks the server whether it still accepts the session, and leaves that as it is; false if the server can't be asked. */
export async function isSessionOver(): Promise<boolean> {
  const headers = { Authorization: `Bearer ${currentToken()}` };
  try {
    // Anonymous, since a 401 to a call with a session's token ends the session.
    await answerInTime((signal) => callApi(currentUserCall, { anonymous: true, headers, signal }));
    return false;
  } catch (error) {
    if (error instanceof ApiError) return error.status === 401;
    throw error;
  }
}
