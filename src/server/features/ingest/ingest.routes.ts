import { Hono } from "hono";
import { renameStudyCall } from "../../../shared/api/studies.ts";
import { uploadDicomCall } from "../../../shared/api/upload.ts";
import type { Deps } from "../../deps.ts";
import { uploadInterrupted, uploadProcessLost } from "../../holdings/uploads/uploads.errors.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { furtherFileSent, storageFull, unsupportedMediaType } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { withoutTimeout } from "../../http/request-timeout.ts";
import { validate } from "../../http/validate.ts";
import { createRecheck } from "../../http/while-allowed.ts";
import { studyAmbiguous, studyNotFound, studyNotOwner } from "../studies/studies.errors.ts";
import {
  examLimitReached,
  storageLimitReached,
  trialLimitReached,
} from "../subscriptions/subscriptions.errors.ts";
import {
  seriesWouldBeTooLarge,
  tooManyUploads,
  uploadMissing,
  uploadNotZip,
  uploadTooComplex,
  uploadTooLarge,
  uploadUnreadable,
  uploadWithoutDicom,
} from "./ingest.errors.ts";
import { ingestUpload } from "./ingest-upload.ts";
import { measureUpload } from "./measure-upload.ts";
import { renameStudy } from "./rename-study.ts";
import type { DeliveryGate } from "./resumable/delivery-gate.ts";
import { createResumableRoutes } from "./resumable/resumable.routes.ts";
import { createUploadSlots, type UploadSlots } from "./upload-slots.ts";

const UPLOADS_PER_ACCOUNT = 12;
/** Most of these are only being received: each holds a socket, a file and at most about 2 MB of unread bytes. */
const UPLOADS_PER_PROCESS = 128;

const describe = describeIn("Uploads");

/** The places for uploads of this process, however they arrive. */
export function createPlacesForUploads(): UploadSlots {
  return createUploadSlots({ perAccount: UPLOADS_PER_ACCOUNT, perProcess: UPLOADS_PER_PROCESS });
}

export function createIngestRoutes(deps: Deps & { gate: DeliveryGate }, guard: Guard, slots: UploadSlots) {
  const routes = new Hono<HttpEnv>();
  routes.route("/", createResumableRoutes(deps, guard, slots));
  routes.patch(
    renameStudyCall.path,
    guard({ subscription: "viewing", scope: "api" }),
    describe(renameStudyCall, {
      summary: "Change a study's description",
      details: "In the index only, never in an instance; for the account that keeps the study.",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner],
    }),
    validate("json", renameStudyCall.body),
    async (c) => {
      const input = { reference: c.req.param("study"), description: c.req.valid("json").description };
      await renameStudy(deps, c.get("session"), input, originOf(c));
      return c.json({ renamed: true });
    },
  );
  return routes.post(
    uploadDicomCall.path,
    guard({ subscription: "own", scope: "api" }),
    describe(uploadDicomCall, {
      summary: "Upload a ZIP of DICOM instances",
      status: 201,
      details:
        "Kept whole or not at all; `skipped` says what was left out and why. `formData` goes before the file and changes the index only, never an instance. An instance that is there already is not kept twice.",
      fileType: "application/zip",
      problems: [
        furtherFileSent,
        uploadNotZip,
        uploadMissing,
        uploadInterrupted,
        examLimitReached,
        storageLimitReached,
        trialLimitReached,
        uploadTooLarge,
        unsupportedMediaType,
        uploadUnreadable,
        uploadTooComplex,
        uploadWithoutDicom,
        seriesWouldBeTooLarge,
        tooManyUploads,
        uploadProcessLost,
        storageFull,
      ],
    }),
    async (c) => {
      const session = c.get("session");
      const { userId: accountId, isTrial } = session;
      using slot = slots.take({ accountId, isTrial });
      withoutTimeout(c);
      c.get("admitBody")();
      const incoming = { request: c.req.raw, recheck: createRecheck(deps.elapsedMs, c.get("readmit")) };
      const answer = await measureUpload(deps.meters.uploads, slot, () =>
        ingestUpload(deps, session, incoming, originOf(c), slot),
      );
      return c.json(answer, 201);
    },
  );
}
