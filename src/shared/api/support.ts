import * as z from "zod/mini";
import { emailSchema } from "./account-fields.ts";
import { type Call, done } from "./call.ts";
import { plain } from "./plain-text.ts";

export const maxSupportImageBytes = 5 * 1024 * 1024;

/** Text fields of the support form; the image is sent as the file of the form. */
export const supportMessageSchema = z.object({
  subject: z
    .string("support.subjectRequired")
    .check(plain, z.minLength(1, "support.subjectRequired"), z.maxLength(200, "validation.tooLong")),
  message: z
    .string("support.messageRequired")
    .check(z.trim(), z.minLength(1, "support.messageRequired"), z.maxLength(10_000, "validation.tooLong")),
  userEmail: emailSchema,
  userName: z.string("validation.required").check(plain, z.maxLength(200, "validation.tooLong")),
});
export type SupportMessage = z.infer<typeof supportMessageSchema>;

const signatures = [
  { type: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { type: "image/png", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/gif", bytes: [0x47, 0x49, 0x46, 0x38] },
];

/** The type of a JPEG, PNG or GIF by its first bytes; `undefined` for anything else. The file's name is ignored. */
export function imageTypeOf(head: Uint8Array): string | undefined {
  return signatures.find(({ bytes }) => bytes.every((byte, i) => head[i] === byte))?.type;
}

export const supportCall = {
  method: "POST",
  path: "/api/support/send",
  form: supportMessageSchema,
  file: "image",
  answer: done("sent"),
} as const satisfies Call;
