import { Trans } from "@lingui/react/macro";
import { LoadError } from "../../ui/load-error.tsx";
import type { UnreadStudy } from "./use-found-study.ts";

/** Shown in place of a view whose study could not be read. */
export function StudyUnread(unread: UnreadStudy) {
  return (
    <LoadError title={<Trans id="request.refuse.unread">The exam could not be read</Trans>} {...unread} />
  );
}
