import { Hono } from "hono";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { withoutTimeout } from "../../http/request-timeout.ts";
import { isTrialAccount } from "../accounts/users/users.repo.ts";
import { ingestUpload } from "./ingest-upload.ts";
import { measureUpload } from "./measure-upload.ts";
import { createUploadSlots } from "./upload-slots.ts";

const UPLOADS_PER_ACCOUNT = 12;
/** Of which most are only being received: a socket, a file, and at most some 2 MB that the socket took and nobody read. */
const UPLOADS_PER_PROCESS = 128;

export function createIngestRoutes(deps: Deps, guard: Guard) {
  const slots = createUploadSlots({ perAccount: UPLOADS_PER_ACCOUNT, perProcess: UPLOADS_PER_PROCESS });
  return new Hono<HttpEnv>().post("/upload-dicom", guard({ subscription: "own" }), async (c) => {
    const session = c.get("session");
    const { userId: accountId } = session;
    using slot = slots.take({ accountId, isTrial: await isTrialAccount(deps.db, accountId) });
    withoutTimeout(c);
    c.get("admitBody")();
    const answer = await measureUpload(deps.meters.uploads, slot, () =>
      ingestUpload(deps, session, c.req.raw, originOf(c), slot),
    );
    return c.json(answer, 201);
  });
}
