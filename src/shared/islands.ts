import * as z from "zod/mini";

/** Whether anyone may register, and whether an admin has to authorise the account first. */
const registrationModes = ["open", "approval", "closed"] as const;

const authIslandSchema = z.object({
  productName: z.string(),
  registration: z.enum(registrationModes),
  /** 0: new accounts get no trial. */
  trialDays: z.number(),
  /** How many exams a trial allows; missing if new accounts get none, or if it can't be read now. */
  trialExams: z.optional(z.number()),
  /** Whether browsers allow passkeys under this service's address. */
  passkeys: z.optional(z.boolean()),
  /** From `/reset-password/{token}`. */
  resetToken: z.optional(z.string()),
  /** From `/stop-email-change/{token}`. */
  stopToken: z.optional(z.string()),
  /** From `/invitation/{token}`. */
  invitationToken: z.optional(z.string()),
  /** From `/ver`, for files that stay on the device; "shared": another app has shared them. */
  local: z.optional(z.enum(["picked", "shared"])),
});

/** Where the viewer answers, if not here. */
const viewerOrigin = z.optional(z.string());

const hisIslandSchema = z.object({
  productName: z.string(),
  maxUploadBytes: z.number(),
  /** Who confirms that a Pix came in: an admin, or the PSP; "none" if plans can't be paid here. */
  pix: z.optional(z.enum(["manual", "automatic", "none"])),
  viewerOrigin,
});

const helpIslandSchema = z.object({ productName: z.string() });
const verifyIslandSchema = z.object({ productName: z.string() });
/** The page of a link, for somebody without an account. */
const visitIslandSchema = z.object({
  productName: z.string(),
  /** From `/v/{id}`; the secret stands behind the `#`, which the server never sees. */
  link: z.string(),
  viewerOrigin,
});

/** The page of a request for exams, for somebody without an account. */
const deliveryIslandSchema = z.object({
  productName: z.string(),
  /** From `/r/{id}`; the secret stands behind the `#`, which the server never sees. */
  request: z.string(),
  maxUploadBytes: z.number(),
});

/** The closed list of islands and what the server may hand each of them. */
export const islandSchemas = {
  auth: authIslandSchema,
  help: helpIslandSchema,
  his: hisIslandSchema,
  verify: verifyIslandSchema,
  visit: visitIslandSchema,
  delivery: deliveryIslandSchema,
} as const;

export type IslandName = keyof typeof islandSchemas;
export type IslandProps<Name extends IslandName> = z.infer<(typeof islandSchemas)[Name]>;

export function isIslandName(name: string | undefined): name is IslandName {
  return name !== undefined && Object.hasOwn(islandSchemas, name);
}
