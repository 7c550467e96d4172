import * as z from "zod/mini";
import {
  chooseMailCall,
  listMailChoicesCall,
  listNotificationsCall,
  type MailChoice,
  type Notification,
  notificationSchema,
  readNotificationsCall,
} from "../../../shared/api/notifications.ts";
import { callApi, callJson } from "../../api.ts";

/** A newer server may tell of other events, which this page can't put into words: they are left out. */
const anyNotificationsCall = {
  ...listNotificationsCall,
  answer: z.object({ unread: z.number(), notifications: z.array(z.unknown()) }),
};

function known(told: unknown): Notification[] {
  const parsed = notificationSchema.safeParse(told);
  return parsed.success ? [parsed.data] : [];
}

export const notificationsApi = {
  async list(signal?: AbortSignal): Promise<Notification[]> {
    return (await callJson(anyNotificationsCall, { signal })).notifications.flatMap(known);
  },
  /** Marks all as read without `ids`. */
  read: (ids?: string[]) => callApi(readNotificationsCall, { body: ids ? { ids } : {} }),
  mailChoices: (signal?: AbortSignal): Promise<MailChoice[]> => callJson(listMailChoicesCall, { signal }),
  chooseMail: (body: MailChoice): Promise<MailChoice[]> => callJson(chooseMailCall, { body }),
};
