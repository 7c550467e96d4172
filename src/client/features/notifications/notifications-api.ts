import * as z from "zod/mini";
import {
  chooseMailCall,
  listMailChoicesCall,
  listNotificationsCall,
  type MailChoice,
  mailChoiceSchema,
  type Notification,
  notificationSchema,
  readNotificationsCall,
} from "../../../shared/api/notifications.ts";
import { callApi, callJson } from "../../calls/api.ts";

/** A newer server may tell of other events, which this page can't put into words: they are left out. */
const anyNotificationsCall = {
  ...listNotificationsCall,
  answer: z.object({ unread: z.number(), notifications: z.array(z.unknown()) }),
};
const anyMailChoices = z.array(z.unknown());

function known<Told extends z.ZodMiniType>(schema: Told, told: unknown[]): z.infer<Told>[] {
  return told.flatMap((one) => {
    const parsed = schema.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
}

export const notificationsApi = {
  async list(signal?: AbortSignal): Promise<Notification[]> {
    return known(notificationSchema, (await callJson(anyNotificationsCall, { signal })).notifications);
  },
  /** Marks all as read without `ids`. */
  read: (ids?: string[]) => callApi(readNotificationsCall, { body: ids ? { ids } : {} }),
  async mailChoices(signal?: AbortSignal): Promise<MailChoice[]> {
    return known(
      mailChoiceSchema,
      await callJson({ ...listMailChoicesCall, answer: anyMailChoices }, { signal }),
    );
  },
  async chooseMail(body: MailChoice): Promise<MailChoice[]> {
    return known(mailChoiceSchema, await callJson({ ...chooseMailCall, answer: anyMailChoices }, { body }));
  },
};
