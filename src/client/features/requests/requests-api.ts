import {
  createRequestCall,
  endRequestCall,
  listRequestsCall,
  type NewRequest,
  type Request,
} from "../../../shared/api/deliveries.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { callApi, callJson } from "../../calls/api.ts";

/** Calls about requests for exams to one's own account. */
export const requestsApi = {
  create: (request: NewRequest) =>
    answerInTime((signal) => callJson(createRequestCall, { body: request, signal })),
  list: (signal?: AbortSignal): Promise<Request[]> => callJson(listRequestsCall, { signal }),
  end: (id: string) => callApi(endRequestCall, { params: { id } }),
};
