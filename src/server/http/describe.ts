import type { MiddlewareHandler } from "hono";
import { describeRoute, resolver } from "hono-openapi";
import * as z from "zod/mini";
import * as accessTokens from "../../shared/api/access-tokens.ts";
import * as auth from "../../shared/api/auth.ts";
import type { Call } from "../../shared/api/call.ts";
import * as deliveries from "../../shared/api/deliveries.ts";
import * as factors from "../../shared/api/factors.ts";
import * as labs from "../../shared/api/labs.ts";
import * as links from "../../shared/api/links.ts";
import * as operations from "../../shared/api/operations.ts";
import * as payments from "../../shared/api/payments.ts";
import * as problem from "../../shared/api/problem.ts";
import * as receipts from "../../shared/api/receipts.ts";
import * as receivers from "../../shared/api/receivers.ts";
import * as resumable from "../../shared/api/resumable.ts";
import * as studies from "../../shared/api/studies.ts";
import * as subscriptions from "../../shared/api/subscriptions.ts";
import * as upload from "../../shared/api/upload.ts";
import * as users from "../../shared/api/users.ts";
import type { ErrorKind } from "./app-error.ts";

/** The rooms of the API, in the order in which its document has them. */
export const rooms = {
  "Signing in":
    "Accounts, sessions and passwords. Login answers the bearer token that the other calls ask for.",
  "Second factors": "Passkeys, the authenticator app and recovery codes of one's own account.",
  "Access tokens":
    "Tokens for programs, each with scopes. They open the calls that name one of their scopes, and never passwords, tokens, devices, payments or accounts.",
  Notifications: "What an account is told in the app, and which of it by mail too.",
  Account: "One's own profile, terms and data.",
  Uploads: "Studies come in as ZIP files of DICOM instances.",
  Studies: "The list of studies, what is known of each, and who may see it.",
  Deliveries:
    "Requests with which people without an account bring exams to one. They send them to `/api/uploads` with the token of their delivery.",
  Links:
    "Links to studies for people without an account, and what such a link opens. Its secret stands behind the # of its address, which browsers send to no server.",
  Reports: "The PDF report (laudo) of a study.",
  Receipts: "What was received, image by image, signed; and the keys that verify it.",
  "Laboratory exams": "Laboratory PDFs, each with a name and a date.",
  FHIR: "FHIR R4 (4.0.1), read only: studies and reports that one may see, for a session or an access token. Failures are an OperationOutcome.",
  DICOMweb:
    "PS3.18 over everything that one may see: QIDO-RS, WADO-RS and STOW-RS, for a session or an access token.",
  "DICOM receivers": "AE titles under which DICOM senders store into an account, over DIMSE.",
  Viewer:
    "A viewer token, and DICOMweb behind it: QIDO-RS and WADO-RS over just the studies of the token. The token is part of the path, so these calls take no header.",
  Subscriptions: "Plans, what one has, and what is used of it.",
  Payments: "Pix payments.",
  Users: "Other people's accounts; admins only.",
  Support: "Messages to the operator.",
  Operations: "For those who run the program, and this document.",
} as const;
export type Room = keyof typeof rooms;

/** The description of a route, in addition to its call. */
export interface Description {
  /** The effect of the call, in a few words. */
  summary: string;
  /** Everything else that a caller has to know. */
  details?: string;
  /** The status of a success; 200 if none is given. */
  status?: 200 | 201 | 202 | 204 | 303;
  /** Media types of a success that is not JSON, or JSON of more than one type. */
  media?: readonly string[];
  /** Other statuses with the same body (204: without), and their meaning. */
  also?: Record<number, string>;
  /** Headers of the request; the name of one that may be missing ends with a question mark. */
  takes?: Record<string, string>;
  /** Headers of a success. */
  headers?: Record<string, string>;
  /** The meaning of a parameter of the path, if its name does not show it. */
  params?: Record<string, string>;
  /** Parameters of the query that no schema reads, and their meaning. */
  asks?: Record<string, string>;
  /** Whether the query also takes parameters of other names, and what these are. */
  asksOthers?: string;
  /** The media type of the file in a form, and whether the file is optional. */
  fileType?: string;
  isFileOptional?: boolean;
  /** The media type of a form that is not multipart. */
  formType?: string;
  /** Requires another credential than a session; `none`: it is in the path. */
  security?: "metricsToken" | "none";
  /** Failures a caller should expect, besides those of guard and validation. */
  problems?: readonly ErrorKind[];
  /** The media type of failures that are no problem documents. */
  failure?: string;
}

/** The member that lists the codes of a call's problems, while the document is made. */
export const PROBLEM_CODES = "x-problem-codes";
/** The media type of a call's failures, while the document is made. */
export const FAILURE_TYPE = "x-failure-type";

/** Names under which answers stand in the document: `studySchema` is `Study`. */
const names = z.registry<{ id: string }>();
for (const shared of [
  accessTokens,
  auth,
  factors,
  labs,
  deliveries,
  links,
  operations,
  payments,
  problem,
  receipts,
  resumable,
  receivers,
  studies,
  subscriptions,
  upload,
  users,
]) {
  for (const [name, value] of Object.entries(shared)) {
    if (!name.endsWith("Schema") || !(value instanceof z.ZodMiniType)) continue;
    names.add(value, { id: name.charAt(0).toUpperCase() + name.slice(1, -"Schema".length) });
  }
}

/** A schema of an answer, by its name if it has one. */
export function answerOf(schema: z.ZodMiniType) {
  return resolver(schema, { options: { io: "output", metadata: names } });
}

/** Gives the descriptions of the routes of one room; each stands between guard and validation. */
export function describeIn(room: Room) {
  return (call: Partial<Call>, text: Description): MiddlewareHandler =>
    describeRoute({
      tags: [room],
      summary: text.summary,
      ...(text.details && { description: text.details }),
      parameters: [
        ...pathParameters(text.params ?? {}),
        ...queryParameters(text),
        ...headerParameters(text.takes ?? {}),
      ],
      ...(text.security && { security: text.security === "none" ? [] : [{ [text.security]: [] }] }),
      ...(call.form && { requestBody: formOf(call.form, call.file, text) }),
      ...(call.bytes && {
        requestBody: { content: Object.fromEntries(call.bytes.map((type) => [type, {}])) },
      }),
      ...(text.problems && { [PROBLEM_CODES]: text.problems.map(({ code }) => code) }),
      ...(text.failure && { [FAILURE_TYPE]: text.failure }),
      responses: {
        [text.status ?? 200]: successOf(call.answer, text),
        ...Object.fromEntries(
          Object.entries(text.also ?? {}).map(([status, description]) => [
            status,
            status === "204" ? { description } : { ...successOf(call.answer, text), description },
          ]),
        ),
      },
    });
}

function successOf(answer: z.ZodMiniType | undefined, { media, headers }: Description) {
  const types = media ?? (answer ? ["application/json"] : []);
  return {
    description: types.length > 0 ? "Done." : "Done; no body.",
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [
          name,
          { description, schema: { type: "string" as const } },
        ]),
      ),
    }),
    ...(types.length > 0 && {
      content: Object.fromEntries(
        types.map((type) => [type, answer && type.includes("json") ? { schema: answerOf(answer) } : {}]),
      ),
    }),
  };
}

function pathParameters(params: Record<string, string>) {
  return Object.entries(params).map(([name, description]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string" as const },
  }));
}

function queryParameters({ asks = {}, asksOthers }: Description) {
  const named = Object.entries(asks).map(([name, description]) => ({
    name,
    in: "query",
    required: false,
    description,
    schema: { type: "string" as const },
  }));
  if (asksOthers === undefined) return named;
  const values = { type: "object" as const, additionalProperties: { type: "string" as const } };
  const others = { in: "query", required: false, style: "form", explode: true, schema: values };
  return [...named, { name: "attributes", description: asksOthers, ...others }];
}

function headerParameters(headers: Record<string, string>) {
  return Object.entries(headers).map(([name, description]) => ({
    name: name.replace(/\?$/, ""),
    in: "header",
    required: !name.endsWith("?"),
    description,
    schema: { type: "string" as const },
  }));
}

/** A form: the fields of `form`, and one file. */
function formOf(
  form: z.ZodMiniType,
  file: string | undefined,
  { fileType, isFileOptional, formType = "multipart/form-data" }: Description,
) {
  const fields = resolver(form, { options: { io: "input" } });
  const schema = {
    ...fields,
    async toOpenAPISchema() {
      const { schema: object, components } = await fields.toOpenAPISchema();
      if (file === undefined) return { schema: object, components };
      const bytes = { type: "string" as const, contentMediaType: fileType };
      const properties = { ...object.properties, [file]: bytes };
      const required = [...(object.required ?? []), ...(isFileOptional ? [] : [file])];
      return { schema: { ...object, properties, required }, components };
    },
  };
  return { required: true, content: { [formType]: { schema } } };
}
