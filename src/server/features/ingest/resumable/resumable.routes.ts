import { type Context, Hono } from "hono";
import {
  appendUploadCall,
  createUploadCall,
  endUploadCall,
  listUploadsCall,
  overrideUploadCall,
  readUploadCall,
} from "../../../../shared/api/resumable.ts";
import { isUuid } from "../../../../shared/uuid.ts";
import type { Deps } from "../../../deps.ts";
import { uploadInterrupted } from "../../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../../http/app-error.ts";
import { describeIn } from "../../../http/describe.ts";
import type { Guard } from "../../../http/guard.ts";
import { notFound, storageFull, unsupportedMediaType } from "../../../http/http.errors.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { withoutTimeout } from "../../../http/request-timeout.ts";
import { createRecheck } from "../../../http/while-allowed.ts";
import {
  examLimitReached,
  storageLimitReached,
  trialLimitReached,
} from "../../subscriptions/subscriptions.errors.ts";
import { tooManyUploads, uploadMissing, uploadNotZip, uploadTooLarge } from "../ingest.errors.ts";
import type { UploadSlots } from "../upload-slots.ts";
import { appendToUpload, assertKept } from "./append-to-upload.ts";
import { createResumable } from "./create-resumable.ts";
import { deliveryFull, requestNotFound } from "./delivery.errors.ts";
import type { DeliveryGate } from "./delivery-gate.ts";
import { endUpload } from "./end-upload.ts";
import { parseBytes, parseChecksum, parseCreation } from "./parse-tus.ts";
import { presentResumable } from "./present-resumable.ts";
import {
  chunkDiffers,
  offsetDiffers,
  resumableNotFound,
  tooManyOpenUploads,
  tusVersionUnsupported,
  uploadHeld,
} from "./resumable.errors.ts";
import { findResumable, listResumable } from "./resumable-uploads.repo.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import {
  assertTus,
  bringsChunk,
  chunkHeaders,
  creationHeaders,
  EXTENSIONS,
  nameTus,
  offsetHeaders,
  ofUpload,
  overrideHeaders,
  speakTus,
  TUS_VERSION,
  tusHeaders,
} from "./tus-headers.ts";
import { UploadHolds } from "./upload-hold.ts";
import { senderOfSession } from "./upload-sender.ts";

const MAX_LISTED = 200;

const describe = describeIn("Uploads");
/** Resumable uploads: tus 1.0.0 (tus.io/protocols/resumable-upload), without CORS. */
export function createResumableRoutes(deps: Deps & { gate: DeliveryGate }, guard: Guard, slots: UploadSlots) {
  const routes = new Hono<HttpEnv>();
  const holds = new UploadHolds();
  const appending = { ...deps, holds };

  async function find(c: Context<HttpEnv>): Promise<ResumableUpload> {
    const id = c.req.param("upload") ?? "";
    const sender = senderOfSession(c.get("session"));
    const found = isUuid(id) && (await findResumable(deps.db, sender, id, deps.clock.now()));
    if (!found) throw new AppError(resumableNotFound);
    return found;
  }

  /** Takes the body of a request into an upload, and tells how far it is. */
  async function append(c: Context<HttpEnv>, uploadId: string, offset: number): Promise<void> {
    const { isTrial } = c.get("session");
    const sender = senderOfSession(c.get("session"));
    if (!isUuid(uploadId)) throw new AppError(resumableNotFound);
    if (!bringsChunk(c)) throw new AppError(unsupportedMediaType);
    const sha256 = parseChecksum(c.req.header("upload-checksum"));
    const declared = c.req.header("content-length");
    // A delivery has places of its own, so that it keeps no other sender to the account out.
    using slot = slots.take({ accountId: sender.deliveryId ?? sender.accountId, isTrial });
    withoutTimeout(c);
    c.get("admitBody")();
    const appended = await appendToUpload(
      appending,
      sender,
      {
        uploadId,
        offset,
        body: c.req.raw.body,
        lengthBytes: declared === undefined ? undefined : parseBytes(declared, "Content-Length"),
        sha256,
        address: c.get("address"),
        recheck: createRecheck(deps.elapsedMs, c.get("readmit")),
      },
      slot,
    );
    tellOffset(c, appended);
  }

  for (const path of [createUploadCall.path, readUploadCall.path]) {
    routes.use(path, nameTus);
    routes.options(
      path,
      guard("public"),
      describe(
        {},
        {
          summary: "What the server knows of tus",
          status: 204,
          ...(path === readUploadCall.path && { params: ofUpload }),
          headers: {
            "Tus-Version": "Versions of the protocol.",
            "Tus-Extension": "Extensions of it.",
            "Tus-Max-Size": "Bytes of the largest upload.",
            "Tus-Checksum-Algorithm": "Algorithms of `Upload-Checksum`.",
          },
        },
      ),
      (c) => {
        c.header("Tus-Version", TUS_VERSION);
        c.header("Tus-Extension", EXTENSIONS);
        c.header("Tus-Max-Size", String(deps.config.maxUploadBytes));
        c.header("Tus-Checksum-Algorithm", "sha256");
        return c.body(null, 204);
      },
    );
  }

  routes.get(
    listUploadsCall.path,
    guard({ scope: "api", deliveries: true }),
    describe(listUploadsCall, {
      summary: "List one's resumable uploads",
      details: `Those under way and those that ended and were not dismissed, the newest first; at most ${MAX_LISTED}.`,
    }),
    async (c) => {
      const sender = senderOfSession(c.get("session"));
      const uploads = await listResumable(deps.db, sender, deps.clock.now(), MAX_LISTED);
      return c.json(uploads.map((upload) => presentResumable(upload, c.get("locale"))));
    },
  );

  routes.post(
    createUploadCall.path,
    guard({ subscription: "own", scope: "api", deliveries: true }),
    describe(createUploadCall, {
      summary: "Begin a resumable upload",
      status: 201,
      details:
        "tus 1.0.0 creation. `Upload-Length` is required. `Upload-Metadata` may have `filename` and `formData`, the same JSON as of `POST /api/upload-dicom`. A body is the upload's first chunk. An upload that gets no byte for 7 days is dropped.",
      takes: creationHeaders,
      headers: { ...offsetHeaders, Location: "The upload's path." },
      problems: [
        tusVersionUnsupported,
        uploadMissing,
        uploadNotZip,
        uploadTooLarge,
        tooManyOpenUploads,
        tooManyUploads,
        requestNotFound,
        deliveryFull,
        examLimitReached,
        storageLimitReached,
        trialLimitReached,
        storageFull,
        chunkDiffers,
        unsupportedMediaType,
      ],
    }),
    speakTus,
    async (c) => {
      const upload = await createResumable(deps, senderOfSession(c.get("session")), {
        ...parseCreation((name) => c.req.header(name)),
        address: c.get("address"),
      });
      c.header("Location", `${createUploadCall.path}/${upload.id}`);
      tellOffset(c, upload);
      if (bringsChunk(c) && c.req.raw.body) await append(c, upload.id, 0);
      return c.body(null, 201);
    },
  );

  routes.get(
    readUploadCall.path,
    guard({ scope: "api", deliveries: true }),
    describe(readUploadCall, {
      summary: "How far a resumable upload is, and what became of it",
      details:
        "Answers until the upload is dismissed or expires. HEAD is that of tus 1.0.0: it wants `Tus-Resumable` and answers `Upload-Offset`, `Upload-Length`, `Upload-Metadata` and `Upload-Expires`.",
      params: ofUpload,
      problems: [resumableNotFound, tusVersionUnsupported],
    }),
    async (c) => {
      if (c.req.method === "HEAD") return await answerHead(c);
      return c.json(presentResumable(await find(c), c.get("locale")));
    },
  );

  async function answerHead(c: Context<HttpEnv>) {
    assertTus(c);
    const { id } = await find(c);
    await holds.settle(id);
    let upload = await find(c);
    if (upload.state === "receiving" && !(await isKept(upload))) upload = await find(c);
    tellOffset(c, upload);
    c.header("Upload-Length", String(upload.sizeBytes));
    if (upload.metadata) c.header("Upload-Metadata", upload.metadata);
    c.header("Cache-Control", "no-store");
    return c.body(null, 200);
  }

  /** Whether all recorded bytes are there; sets the upload back otherwise. */
  async function isKept(upload: ResumableUpload): Promise<boolean> {
    try {
      await assertKept(deps, upload);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === offsetDiffers) return false;
      throw error;
    }
  }

  routes.patch(
    appendUploadCall.path,
    guard({ subscription: "own", scope: "api", deliveries: true }),
    describe(appendUploadCall, {
      summary: "Send the next bytes of a resumable upload",
      status: 204,
      details:
        "tus 1.0.0. Answered once the bytes are on stable storage. With `Upload-Checksum: sha256 …` a body that differs, or that is cut off, is dropped; without it, what came of a body counts. One request at a time may write. After the last byte the upload is read: `GET` tells what became of it.",
      params: ofUpload,
      takes: chunkHeaders,
      headers: offsetHeaders,
      problems: [
        tusVersionUnsupported,
        resumableNotFound,
        offsetDiffers,
        uploadHeld,
        chunkDiffers,
        uploadTooLarge,
        uploadInterrupted,
        unsupportedMediaType,
        tooManyUploads,
        storageFull,
      ],
    }),
    speakTus,
    answerPatch,
  );

  async function answerPatch(c: Context<HttpEnv>) {
    const offset = parseBytes(c.req.header("upload-offset"), "Upload-Offset");
    await append(c, c.req.param("upload") ?? "", offset);
    return c.body(null, 204);
  }

  async function answerDelete(c: Context<HttpEnv>) {
    const { id } = await find(c);
    await endUpload(deps, senderOfSession(c.get("session")), id);
    holds.forget(id);
    return c.body(null, 204);
  }

  routes.post(
    overrideUploadCall.path,
    guard({ subscription: "own", scope: "api", deliveries: true }),
    describe(overrideUploadCall, {
      summary: "PATCH, HEAD or DELETE by a client that can't send them",
      status: 204,
      also: { 200: "HEAD." },
      details: "`X-HTTP-Method-Override` says which, and everything else is as with that method.",
      params: ofUpload,
      takes: overrideHeaders,
      problems: [notFound, tusVersionUnsupported, resumableNotFound, offsetDiffers, uploadHeld, chunkDiffers],
    }),
    speakTus,
    async (c) => {
      const method = c.req.header("x-http-method-override")?.toUpperCase();
      if (method === "PATCH") return await answerPatch(c);
      if (method === "HEAD") return await answerHead(c);
      if (method === "DELETE") return await answerDelete(c);
      throw new AppError(notFound);
    },
  );

  return routes.delete(
    endUploadCall.path,
    guard({ scope: "api", deliveries: true }),
    describe(endUploadCall, {
      summary: "Dismiss a resumable upload",
      status: 204,
      details:
        "tus 1.0.0 termination. Bytes that were not taken in are removed; what was stored stays. A second time it is 404.",
      params: ofUpload,
      takes: tusHeaders,
      headers: tusHeaders,
      problems: [tusVersionUnsupported, resumableNotFound],
    }),
    speakTus,
    answerDelete,
  );
}

function tellOffset(
  c: Context<HttpEnv>,
  { receivedBytes, expiresAt }: Pick<ResumableUpload, "receivedBytes" | "expiresAt">,
): void {
  c.header("Upload-Offset", String(receivedBytes));
  c.header("Upload-Expires", expiresAt.toUTCString());
}
