import { Trans, useLingui } from "@lingui/react/macro";
import type { Request } from "../../../shared/api/deliveries.ts";
import { dayText } from "../../ui/text/moment-text.ts";
import { whenText } from "../../ui/text/when-text.ts";

/** What has become of a request, in one line. */
export function RequestLine({ request }: { request: Request }) {
  const { i18n } = useLingui();
  const { state, expiresAt, openedAt, percent, deliveries } = request;
  const until = dayText(expiresAt);
  const last = deliveries.find(({ receivedAt }) => receivedAt !== null);
  const from = last?.from ?? "";
  const when = last?.receivedAt ? whenText(i18n, last.receivedAt) : "";
  switch (state) {
    case "open":
      return openedAt === null ? (
        <Trans id="request.line.open">Valid until {until} · nobody opened it yet</Trans>
      ) : (
        <Trans id="request.line.opened">Valid until {until} · opened</Trans>
      );
    case "sending":
      return <Trans id="request.line.sending">Uploading now · {percent}%</Trans>;
    case "received":
      return (
        <Trans id="request.line.received">
          Delivered by {from} · {when}
        </Trans>
      );
    case "expired":
      return <Trans id="request.line.expired">Expired on {until} without being used</Trans>;
    case "ended":
      return <Trans id="request.line.ended">Ended before anything arrived</Trans>;
  }
}
