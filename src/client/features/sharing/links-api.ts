import {
  createLinkCall,
  endLinkCall,
  type Link,
  listLinksCall,
  listOpeningsCall,
  type NewLink,
  type Opening,
} from "../../../shared/api/links.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { callApi, callJson } from "../../calls/api.ts";

/** Calls about the links to one's own studies. */
export const linksApi = {
  create: (link: NewLink) => answerInTime((signal) => callJson(createLinkCall, { body: link, signal })),
  /** Those of one study, or all of one's own. */
  list: (study: string | undefined, signal?: AbortSignal): Promise<Link[]> =>
    callJson(listLinksCall, { query: { study }, signal }),
  openings: (id: string, signal?: AbortSignal): Promise<Opening[]> =>
    callJson(listOpeningsCall, { params: { id }, signal }),
  end: (id: string) => callApi(endLinkCall, { params: { id } }),
};
