import type { Context } from "hono";
import { getPath } from "hono/utils/url";
import * as z from "zod/mini";
import { acceptedTypes, MAX_HEADER_LENGTH } from "./answers/accepted-types.ts";

/** Where the URI Service (WADO-URI, PS3.18 §9) answers. */
export const URI_SERVICE = "/wado";

/** Stands for a side that the client does not name: it bounds nothing. */
const MAX_SIDE = 99_999;
const reference = z.string().check(z.regex(/^[\w.-]{1,64}$/));
const decimal = z.string().check(z.regex(/^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(e[+-]?\d{1,2})?$/i));
const integer = z.string().check(z.regex(/^[1-9]\d{0,4}$/));
const fraction = /^(0?\.\d{1,15}|[01](\.0{0,15})?)$/;
/** `left,top,right,bottom`. */
const isRegion = (text: string) => {
  const sides = text.split(",");
  const [left = 0, top = 0, right = 0, bottom = 0] = sides.map(Number);
  return sides.length === 4 && sides.every((side) => fraction.test(side)) && left < right && top < bottom;
};
const unsupported = z.optional(z.never());
/** Any other value changes nothing here. */
const ANNOTATION = /^(patient|technique)(,(patient|technique))?$/;

/**
 * The parameters of PS3.18 table 9.4.1-1. Those that would change what is seen, and are not done here, are refused: whoever asks for an
 * anonymous image must get no other one.
 */
export const uriQuerySchema = z
  .object({
    requestType: z.literal("WADO"),
    studyUID: reference,
    seriesUID: reference,
    objectUID: reference,
    contentType: z.optional(z.string().check(z.regex(/^(?!.*multipart).+$/i))),
    transferSyntax: z.optional(z.string().check(z.regex(/^(\*|[\d.]{1,64})$/))),
    frameNumber: z.optional(z.string().check(z.regex(/^[1-9]\d{0,8}$/))),
    rows: z.optional(integer),
    columns: z.optional(integer),
    region: z.optional(z.string().check(z.refine(isRegion))),
    windowCenter: z.optional(decimal),
    windowWidth: z.optional(decimal.check(z.refine((text) => Number(text) > 0))),
    imageQuality: z.optional(z.string().check(z.regex(/^([1-9]\d?|100)$/))),
    annotation: z.optional(z.string()),
    anonymize: z.optional(z.literal("no")),
    presentationUID: unsupported,
    presentationSeriesUID: unsupported,
  })
  .check(
    z.refine(
      ({ windowCenter, windowWidth }) => (windowCenter === undefined) === (windowWidth === undefined),
      {
        path: ["windowWidth"],
      },
    ),
  );

/** What a request to the URI Service asks of the Studies Service, which answers it. */
interface Translated {
  path: string;
  parameters: Partial<Record<"accept" | "viewport" | "window" | "quality" | "annotation", string>>;
  /** What is drawn of the image: fractions of its sides, which the Studies Service knows no parameter for. */
  region?: { left: number; top: number; width: number; height: number };
}

const BASE_ADDRESS = /^\/+(dicomweb|fhir|wado)(?:\/+|$)/;

/**
 * The path of a request. The addresses that people type into their programs may end with a slash, behind which many programs write another
 * one; and some end what they ask for with one.
 */
function plainPath(request: Request): string {
  const path = getPath(request);
  return BASE_ADDRESS.test(path) ? path.replace(BASE_ADDRESS, "/$1/").replace(/\/$/, "") : path;
}

/**
 * The path that is routed: that of the request, or for one to the URI Service that of the resource it asks for in the Studies Service.
 * So the guard, charge and audit of a file or picture are the same in both.
 */
export function routedPath(request: Request): string {
  const path = plainPath(request);
  return path === URI_SERVICE ? (translate(request)?.path ?? path) : path;
}

/** What a request to the URI Service asks, in the words of the Studies Service; undefined for any other request. */
export function askedOfUriService({ req }: Context): Omit<Translated, "path"> | undefined {
  return plainPath(req.raw) === URI_SERVICE ? translate(req.raw) : undefined;
}

/** Undefined for a request that the URI Service refuses. */
function translate(request: Request): Translated | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const asked = uriQuerySchema.safeParse(Object.fromEntries(new URL(request.url).searchParams));
  if (!asked.success) return undefined;
  const { studyUID, seriesUID, objectUID, contentType, transferSyntax, frameNumber } = asked.data;
  const instance = `/dicomweb/studies/${studyUID}/series/${seriesUID}/instances/${objectUID}`;
  const accept = contentType ?? request.headers.get("accept") ?? "*/*";
  if (isFileLikedBest(accept)) {
    const syntax = transferSyntax === undefined ? "" : `; transfer-syntax=${transferSyntax}`;
    return { path: instance, parameters: { accept: `application/dicom${syntax}` } };
  }
  const frame = frameNumber === undefined ? "" : `/frames/${frameNumber}`;
  const { rows, columns, windowCenter, windowWidth, imageQuality, annotation, region } = asked.data;
  return {
    path: `${instance}${frame}/rendered`,
    parameters: {
      accept,
      ...((rows ?? columns) && { viewport: `${columns ?? MAX_SIDE},${rows ?? MAX_SIDE}` }),
      ...(windowCenter !== undefined && { window: `${windowCenter},${windowWidth}` }),
      ...(imageQuality !== undefined && { quality: imageQuality }),
      ...(annotation !== undefined && ANNOTATION.test(annotation) && { annotation }),
    },
    ...(region !== undefined && { region: fractionsOf(region) }),
  };
}

function isFileLikedBest(accept: string): boolean {
  return accept.length <= MAX_HEADER_LENGTH && acceptedTypes(accept)[0]?.type === "application/dicom";
}

function fractionsOf(region: string): NonNullable<Translated["region"]> {
  const [left = 0, top = 0, right = 0, bottom = 0] = region.split(",").map(Number);
  return { left, top, width: right - left, height: bottom - top };
}
