import * as z from "zod/mini";
import { type NotificationEvent, notificationEvents } from "../rules/notification-events.ts";
import { type Call, done } from "./call.ts";

const eventNames = Object.keys(notificationEvents) as [NotificationEvent, ...NotificationEvent[]];
export const notificationEventSchema = z.enum(eventNames);

/** What an event carries besides the study it is about; money in cents. */
export const notificationDetailsSchema = z.object({
  amount: z.optional(z.number()),
  planName: z.optional(z.string()),
  /** Who delivered an exam, or whom a link that was opened is for. */
  from: z.optional(z.string()),
  /** How many exams a delivery brought, if it is more than one. */
  exams: z.optional(z.number()),
  /** Of the plan. */
  expiresAt: z.optional(z.string()),
});
export type NotificationDetails = z.infer<typeof notificationDetailsSchema>;

export const notificationSchema = z.object({
  id: z.string(),
  event: notificationEventSchema,
  at: z.string(),
  readAt: z.nullable(z.string()),
  /** Who caused it; null if that is nobody, or if their account was deleted. */
  actorName: z.nullable(z.string()),
  /** The study it is about. */
  study: z.nullable(z.object({ id: z.string(), studyDescription: z.nullable(z.string()) })),
  details: notificationDetailsSchema,
});
export type Notification = z.infer<typeof notificationSchema>;

/** The most notifications that an account keeps; older ones are deleted. */
export const MAX_NOTIFICATIONS = 100;

export const notificationListSchema = z.object({
  unread: z.number(),
  /** The newest first. */
  notifications: z.array(notificationSchema),
});
export type NotificationList = z.infer<typeof notificationListSchema>;

export const listNotificationsCall = {
  method: "GET",
  path: "/api/notifications",
  answer: notificationListSchema,
} as const satisfies Call;

/** Without `ids`, all are marked. */
export const readNotificationsCall = {
  method: "POST",
  path: "/api/notifications/read",
  body: z.object({ ids: z.optional(z.array(z.uuid()).check(z.maxLength(MAX_NOTIFICATIONS))) }),
  answer: done("read"),
} as const satisfies Call;

export const mailChoiceSchema = z.object({ event: notificationEventSchema, wanted: z.boolean() });
export type MailChoice = z.infer<typeof mailChoiceSchema>;

/** The events that concern the caller's role, and whether they want a mail about each. */
export const listMailChoicesCall = {
  method: "GET",
  path: "/api/notifications/mails",
  answer: z.array(mailChoiceSchema),
} as const satisfies Call;

export const chooseMailCall = {
  method: "PATCH",
  path: "/api/notifications/mails",
  body: mailChoiceSchema,
  answer: z.array(mailChoiceSchema),
} as const satisfies Call;
