import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Notification } from "../../../shared/api/notifications.ts";
import { notificationsApi } from "./notifications-api.ts";

const queryKey = ["notifications"];
const LISTED = [...queryKey, "list"];
const POLL_MS = 60_000;

/** How it is read what the person is told. */
export const notificationsQuery = queryOptions({
  queryKey: LISTED,
  queryFn: ({ signal }) => notificationsApi.list(signal),
  staleTime: POLL_MS / 2,
});

/** What the person is told, the newest first; read again every minute while the page is looked at. */
export function useNotifications() {
  return useQuery({ ...notificationsQuery, refetchInterval: POLL_MS });
}

function markRead(queryClient: QueryClient, ids: readonly string[] | undefined): void {
  const readAt = new Date().toISOString();
  queryClient.setQueryData<Notification[]>(LISTED, (listed) =>
    listed?.map((told) =>
      ids && !ids.includes(told.id) ? told : { ...told, readAt: told.readAt ?? readAt },
    ),
  );
}

/** Marks notifications as read, here at once; all of them without ids. */
export function useMarkRead() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[] | undefined) => notificationsApi.read(ids),
    onMutate: async (ids) => {
      // What is being read at this moment would show them as unread again.
      await queryClient.cancelQueries({ queryKey: LISTED });
      markRead(queryClient, ids);
    },
    // What could not be marked is shown again as it is.
    onError: () => queryClient.invalidateQueries({ queryKey: LISTED }),
  });
}

export function useMailChoices() {
  return useQuery({
    queryKey: [...queryKey, "mails"],
    queryFn: ({ signal }) => notificationsApi.mailChoices(signal),
    staleTime: 0,
  });
}

export function useChooseMail() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: notificationsApi.chooseMail,
    onSuccess: (choices) => queryClient.setQueryData([...queryKey, "mails"], choices),
  });
}
