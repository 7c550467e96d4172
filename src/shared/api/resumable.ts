import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { problemSchema } from "./problem.ts";
import { uploadAnswerSchema } from "./upload.ts";

/** The largest chunk that passes the usual tunnels, and the one that our own client sends. */
export const chunkBytes = 8 * 1024 * 1024;

/** `processing`: all bytes are there and are being read. */
export const resumableStates = ["receiving", "processing", "done", "failed"] as const;

/** A resumable upload (tus 1.0.0) as its sender sees it. */
export const resumableUploadSchema = z.object({
  id: z.string(),
  filename: z.string(),
  sizeBytes: z.number(),
  /** Bytes that are on stable storage. */
  offset: z.number(),
  state: z.enum(resumableStates),
  createdAt: z.string(),
  expiresAt: z.string(),
  /** What `POST /api/upload-dicom` would have answered; of a `done` one. */
  result: z.optional(uploadAnswerSchema),
  /** Why nothing was stored; of a `failed` one. Of a `processing` one, what it waits for, such as room on a disk. */
  problem: z.optional(problemSchema),
});
export type ResumableUploadState = z.infer<typeof resumableUploadSchema>;

/** The media type of a chunk. */
export const chunkType = "application/offset+octet-stream";
const bytes = [chunkType] as const;

export const listUploadsCall = {
  method: "GET",
  path: "/api/uploads",
  answer: z.array(resumableUploadSchema),
} as const satisfies Call;

export const createUploadCall = { method: "POST", path: "/api/uploads", bytes } as const satisfies Call;

export const readUploadCall = {
  method: "GET",
  path: "/api/uploads/:upload",
  answer: resumableUploadSchema,
} as const satisfies Call;

export const appendUploadCall = {
  method: "PATCH",
  path: "/api/uploads/:upload",
  bytes,
} as const satisfies Call;

/** PATCH, HEAD or DELETE of a client that can't send these methods: `X-HTTP-Method-Override` says which. */
export const overrideUploadCall = {
  method: "POST",
  path: "/api/uploads/:upload",
  bytes,
} as const satisfies Call;

export const endUploadCall = { method: "DELETE", path: "/api/uploads/:upload" } as const satisfies Call;
