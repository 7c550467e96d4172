import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { roleSchema } from "./users.ts";

/** A background job that failed for good and waits for a person. */
export const deadLetterSchema = z.object({
  id: z.string(),
  /** The job's queue, such as `transfer`; queues that each node has for itself have one name. */
  kind: z.string(),
  diedAt: z.string(),
  /** How often it ran. */
  attempts: z.number(),
  /** Class and code of the last error; never its message, which may quote data. */
  errorClass: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const MAX_DEAD_LETTERS = 500;

const chosenLettersSchema = z.object({
  ids: z.array(z.uuid()).check(z.minLength(1), z.maxLength(MAX_DEAD_LETTERS)),
});

export const listDeadLettersCall = {
  method: "GET",
  path: "/api/operations/dead-letters",
  answer: z.array(deadLetterSchema),
} as const satisfies Call;

/** `stuck`: letters that stay, because nothing works on their queue any more, such as that of a node that is gone. */
const retriedSchema = z.object({ retried: z.number(), stuck: z.number() });
export type RetriedLetters = z.infer<typeof retriedSchema>;

export const retryDeadLettersCall = {
  method: "POST",
  path: "/api/operations/dead-letters/retry",
  body: chosenLettersSchema,
  answer: retriedSchema,
} as const satisfies Call;

const dismissedSchema = z.object({ dismissed: z.number() });
export type DismissedLetters = z.infer<typeof dismissedSchema>;

export const dismissDeadLettersCall = {
  method: "POST",
  path: "/api/operations/dead-letters/dismiss",
  body: chosenLettersSchema,
  answer: dismissedSchema,
} as const satisfies Call;

/**
 * `low`: less than a tenth is left. `full`: uploads are refused. `read_only`: it takes no bytes, whatever is free.
 */
export const diskStates = ["ok", "low", "full", "read_only"] as const;

export const nodeSchema = z.object({
  id: z.string(),
  /** Whether it is the node that answers. */
  isThis: z.boolean(),
  /** `silent`: it missed beats. `gone`: others took over what it had begun. */
  state: z.enum(["up", "silent", "gone"]),
  /** The version of the program; null for a node whose version does not tell. */
  version: z.nullable(z.string()),
  startedAt: z.string(),
  lastBeatAt: z.string(),
  /** As of its last beat; null for a node whose version does not tell. */
  disk: z.nullable(z.object({ state: z.enum(diskStates), freeBytes: z.number(), sizeBytes: z.number() })),
  /** Why the archive store refused what the node put last, some minutes ago at most; a node of an older version does not tell. */
  storeRefusal: z._default(z.nullable(z.enum(["full", "read_only"])), null),
});
export type OperatedNode = z.infer<typeof nodeSchema>;

/** How the whole installation does. */
export const operationsSchema = z.object({
  deadLetters: z.number(),
  /** Jobs of all nodes; `oldestSeconds`: for how long the oldest waiting one could have run. */
  queue: z.object({
    waiting: z.number(),
    delayed: z.number(),
    active: z.number(),
    oldestSeconds: z.number(),
  }),
  /** Studies whose bytes are not as they were received, or not in the archive store yet. */
  studies: z.object({
    damaged: z.number(),
    missing: z.number(),
    transferring: z.number(),
    failedTransfers: z.number(),
  }),
  /** Laboratory PDFs whose bytes are not as they were received; a node of an older version does not tell. */
  labExams: z._default(z.object({ damaged: z.number(), missing: z.number() }), { damaged: 0, missing: 0 }),
  nodes: z.array(nodeSchema),
  /** Since midnight in Brazil: exams and bytes that came, and accounts that were at work. */
  today: z.object({ exams: z.number(), bytes: z.number(), people: z.number() }),
  /** When the last backup ended; null if none was ever made. */
  lastBackupAt: z.nullable(z.string()),
  /** How many accounts an admin has yet to authorise; a node of an older version does not tell. */
  waitingAccounts: z._default(z.number(), 0),
  /** Those that wait, then those of the last seven days, each the newest first; at most five. */
  newAccounts: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: roleSchema,
      createdAt: z.string(),
      isWaiting: z._default(z.boolean(), false),
    }),
  ),
});
export type Operations = z.infer<typeof operationsSchema>;

export const operationsCall = {
  method: "GET",
  path: "/api/operations",
  answer: operationsSchema,
} as const satisfies Call;
