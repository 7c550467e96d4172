import * as z from "zod/mini";
import type { Call } from "./call.ts";

const healthSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.boolean(),
  store: z.boolean(),
  disk: z.boolean(),
  /** Whether the disk has room for uploads, and the store takes them. A node that only refuses uploads is ready. */
  uploads: z.boolean(),
});

export const healthCall = {
  method: "GET",
  path: "/api/health",
  answer: healthSchema,
} as const satisfies Call;
