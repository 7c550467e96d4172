import type { Receiver } from "../../../shared/api/receivers.ts";
import type { Config } from "../../config.ts";
import type { ReceiverRow } from "./receivers.table.ts";

/** @param port where this server listens for associations */
export function presentReceiver(
  row: ReceiverRow,
  port: number | undefined,
  config: Pick<Config, "dimse">,
): Receiver {
  const { id, aeTitle, callingAETitles, addresses, instances, refusals } = row;
  return {
    id,
    aeTitle,
    callingAETitles,
    addresses,
    instances,
    refusals,
    createdAt: row.createdAt.toISOString(),
    lastReceived: seen(row.receivedAt, row.receivedTitle, row.receivedAddress),
    lastRefused: seen(row.refusedAt, row.refusedTitle, row.refusedAddress),
    port: port ?? null,
    tls: config.dimse?.tls !== undefined,
  };
}

function seen(at: Date | null, title: string | null, address: string | null): Receiver["lastReceived"] {
  return at && { at: at.toISOString(), callingAETitle: title ?? "", address: address ?? "" };
}
