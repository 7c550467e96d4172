import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Popover } from "radix-ui";
import { useState } from "react";
import type { Notification } from "../../../shared/api/notifications.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { BellIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { whenText } from "../../ui/text/when-text.ts";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { EventOrigin, EventTitle, eventIcons } from "./event-text.tsx";
import { useMarkRead, useNotifications } from "./use-notifications.ts";
import { useOpenNotification } from "./use-open-notification.ts";

/** From here on the count says no more than "many". */
const MANY = 99;

/** The bell, with how much is unread; it opens the list. */
export default function NotificationBell() {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const { data } = useNotifications();
  const unread = data?.filter(({ readAt }) => readAt === null).length ?? 0;
  const title = t({ id: "notifications.title", message: "Notifications" });
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="btn is-icon bell">
        <BellIcon />
        {unread > 0 && (
          <span className="bell-count" aria-hidden="true">
            {unread > MANY ? `${MANY}+` : unread}
          </span>
        )}
        <span className="sr-only">
          {title}
          {unread > 0 && (
            <>
              {", "}
              <Plural id="notifications.unread" value={unread} one="# unread" other="# unread" />
            </>
          )}
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu notifications"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label={title}
        >
          <BellList unread={unread} onOpened={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function BellList({ unread, onOpened }: { unread: number; onOpened: () => void }) {
  const query = useNotifications();
  const { data, refetch } = query;
  const error = useFailure(query);
  const markRead = useMarkRead();
  return (
    <>
      <div className="notifications-head">
        <h2>
          <Trans id="notifications.title">Notifications</Trans>
        </h2>
        {unread > 0 && (
          <button
            type="button"
            className="link"
            onClick={({ currentTarget }) => {
              // The button goes with what is unread.
              currentTarget.closest<HTMLElement>('[tabindex="-1"]')?.focus();
              markRead.mutate(undefined);
            }}
          >
            <Trans id="notifications.readAll">Mark all as read</Trans>
          </button>
        )}
      </div>
      {error && !data && (
        <LoadError
          title={<Trans id="notifications.failed">The notifications could not be loaded</Trans>}
          error={error}
          onRetry={refetch}
        />
      )}
      {!error && !data && (
        <div className="notifications-none" aria-busy="true">
          <Skeleton className="w-48" />
        </div>
      )}
      {data?.length === 0 && (
        <p className="notifications-none">
          <Trans id="notifications.none">Nothing yet. What happens to your exams appears here.</Trans>
        </p>
      )}
      {data && data.length > 0 && (
        <ul className="notifications-list">
          {data.map((told) => (
            <li key={told.id}>
              <NotificationRow told={told} onOpened={onOpened} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function NotificationRow({ told, onOpened }: { told: Notification; onOpened: () => void }) {
  const { i18n } = useLingui();
  const open = useOpenNotification();
  const EventIcon = eventIcons[told.event];
  const isUnread = told.readAt === null;
  return (
    <button
      type="button"
      className={`notification ${isUnread ? "is-unread" : ""}`}
      onClick={() => {
        onOpened();
        open(told);
      }}
    >
      <EventIcon small />
      <span className="notification-text">
        <b>
          <EventTitle told={told} />
        </b>
        <span>
          <EventOrigin told={told} /> · <WholeDates>{whenText(i18n, told.at)}</WholeDates>
        </span>
      </span>
      {isUnread && (
        <span className="notification-dot">
          <span className="sr-only">
            <Trans id="notifications.isUnread">Unread</Trans>
          </span>
        </span>
      )}
    </button>
  );
}
