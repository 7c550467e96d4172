import * as documents from "../documents/documents.errors.ts";
import * as accessTokens from "../features/accounts/access-tokens/access-tokens.errors.ts";
import * as accounts from "../features/accounts/accounts.errors.ts";
import * as factors from "../features/accounts/factors/factors.errors.ts";
import * as users from "../features/accounts/users/users.errors.ts";
import * as deliveries from "../features/deliveries/deliveries.errors.ts";
import * as dicomweb from "../features/dicomweb/dicomweb.errors.ts";
import * as exchange from "../features/exchange/exchange.errors.ts";
import * as exports from "../features/export/export.errors.ts";
import * as ingest from "../features/ingest/ingest.errors.ts";
import * as delivery from "../features/ingest/resumable/delivery.errors.ts";
import * as resumable from "../features/ingest/resumable/resumable.errors.ts";
import * as integrity from "../features/integrity/integrity.errors.ts";
import * as labs from "../features/labs/labs.errors.ts";
import * as links from "../features/links/links.errors.ts";
import * as media from "../features/media/media.errors.ts";
import * as payments from "../features/payments/payments.errors.ts";
import * as receipts from "../features/receipts/receipts.errors.ts";
import * as receivers from "../features/receivers/receivers.errors.ts";
import * as removals from "../features/removals/removals.errors.ts";
import * as reports from "../features/reports/reports.errors.ts";
import * as studies from "../features/studies/studies.errors.ts";
import * as subscriptions from "../features/subscriptions/subscriptions.errors.ts";
import * as support from "../features/support/support.errors.ts";
import * as viewer from "../features/viewer/viewer.errors.ts";
import * as uploads from "../holdings/uploads/uploads.errors.ts";
import type { ErrorKind } from "../http/app-error.ts";
import { subscriptionRequired, tokenForbidden } from "../http/guard.ts";
import * as http from "../http/http.errors.ts";

const rooms = [
  http,
  { subscriptionRequired, tokenForbidden },
  accounts,
  factors,
  accessTokens,
  users,
  ingest,
  resumable,
  uploads,
  documents,
  studies,
  reports,
  labs,
  receivers,
  dicomweb,
  viewer,
  exchange,
  links,
  deliveries,
  delivery,
  subscriptions,
  support,
  receipts,
  media,
  removals,
  payments,
  exports,
  integrity,
];

/** Every failure that an answer may name, by its stable code. A code that two kinds share has one status. */
export const problemKinds: ReadonlyMap<string, ErrorKind> = new Map(
  rooms.flatMap((room) => Object.values(room).map((kind): [string, ErrorKind] => [kind.code, kind])),
);
