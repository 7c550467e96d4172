import { type QueryClient, useQuery } from "@tanstack/react-query";
import {
  endReceiverCall,
  makeReceiverCall,
  type NewReceiver,
  type Receiver,
  receiversCall,
} from "../../../shared/api/receivers.ts";
import { callApi, callJson } from "../../calls/api.ts";

const queryKey = ["receivers"];

/** Calls about one's own DICOM receivers. */
export const receiversApi = {
  make: (body: NewReceiver): Promise<Receiver> => callJson(makeReceiverCall, { body }),
  end: (id: string) => callApi(endReceiverCall, { params: { id } }),
};

export function useReceivers() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }): Promise<Receiver[]> => callJson(receiversCall, { signal }),
  });
}

export async function refreshReceivers(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey });
}
