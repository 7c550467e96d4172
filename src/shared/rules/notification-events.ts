import type { Role } from "../api/users.ts";

interface EventRule {
  /** Who is told; the profile offers the mail to them. */
  roles: readonly Role[];
  /** Whether it is mailed until the person says otherwise. */
  isMailedAtFirst: boolean;
}

/**
 * What an account is told about, in the app and by mail. To add an event, name it here, write its mail in
 * `notifications/event-mails.ts` and its texts in the client's `notifications/event-text.tsx`, and call `notify` in the
 * transaction that causes it.
 */
export const notificationEvents = {
  /** Somebody lets the account see an exam. */
  "study.shared": { roles: ["user", "doctor", "lab"], isMailedAtFirst: true },
  /** Somebody else attached a report to an exam of the account. */
  "report.attached": { roles: ["user", "doctor", "lab", "admin"], isMailedAtFirst: true },
  /** Somebody without an account delivered an exam, as the account had asked. */
  "delivery.received": { roles: ["user", "doctor", "lab", "admin"], isMailedAtFirst: true },
  /** Somebody without an account opened a link that the account made; told of a link at most once an hour. */
  "link.opened": { roles: ["user", "doctor", "lab", "admin"], isMailedAtFirst: true },
  /** Wrong passcodes ended a link that the account made. */
  "link.blocked": { roles: ["user", "doctor", "lab", "admin"], isMailedAtFirst: true },
  "payment.confirmed": { roles: ["user"], isMailedAtFirst: true },
  /** A Pix of the account's own key: only an admin can see whether it arrived. */
  "payment.waiting": { roles: ["admin"], isMailedAtFirst: true },
  /** Somebody registered, and only an admin can let them in. */
  "account.waiting": { roles: ["admin"], isMailedAtFirst: true },
  /** An exam could not be moved to the archive store. */
  "transfer.failed": { roles: ["admin"], isMailedAtFirst: true },
  "plan.ending": { roles: ["user", "doctor", "lab"], isMailedAtFirst: true },
  /** A doctor made the account to which an exam was offered. */
  "invitation.accepted": { roles: ["user", "doctor", "lab", "admin"], isMailedAtFirst: false },
} as const satisfies Record<string, EventRule>;

export type NotificationEvent = keyof typeof notificationEvents;

/** The events that a role is told about. */
export function eventsOf(role: Role): NotificationEvent[] {
  const all = Object.entries(notificationEvents) as [NotificationEvent, EventRule][];
  return all.filter(([, { roles }]) => roles.includes(role)).map(([event]) => event);
}

/** Whether a role may read of an event. What admins alone are told names people whom they may not know once they are none. */
export function mayReadOf(event: NotificationEvent, role: Role): boolean {
  const { roles }: EventRule = notificationEvents[event];
  return role === "admin" || roles.some((told) => told !== "admin");
}
