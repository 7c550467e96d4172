import {
  type DeadLetter,
  type DismissedLetters,
  dismissDeadLettersCall,
  listDeadLettersCall,
  type Operations,
  operationsCall,
  type RetriedLetters,
  retryDeadLettersCall,
} from "../../../shared/api/operations.ts";
import { callJson } from "../../calls/api.ts";

/** Calls about the installation itself; admins only. */
export const operationsApi = {
  read: (signal?: AbortSignal): Promise<Operations> => callJson(operationsCall, { signal }),
  deadLetters: (signal?: AbortSignal): Promise<DeadLetter[]> => callJson(listDeadLettersCall, { signal }),
  retry: (ids: string[]): Promise<RetriedLetters> => callJson(retryDeadLettersCall, { body: { ids } }),
  dismiss: (ids: string[]): Promise<DismissedLetters> => callJson(dismissDeadLettersCall, { body: { ids } }),
};
