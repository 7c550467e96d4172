import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import { listReceiptsCall, publicKeysCall, readReceiptCall } from "../../../shared/api/receipts.ts";
import type { Deps } from "../../deps.ts";
import { answerPdf } from "../../documents/answer-pdf.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { archiveDamaged, heldByAnotherNode } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { streamOf } from "../../http/stream-of.ts";
import { validate } from "../../http/validate.ts";
import { qrSvg } from "../../render/qr-code.ts";
import { tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { studyAmbiguous, studyNotFound } from "../studies/studies.errors.ts";
import { type FoundReceipt, readGivenReceipts, readReceipt } from "./read-receipt.ts";
import { checkAddress, drawReceipts, type Papered } from "./receipt-paper.ts";
import { signedReceipt } from "./receipt-payload.ts";
import { receiptNotFound, receiptNotReady, receiptTooLarge } from "./receipts.errors.ts";

const describe = describeIn("Receipts");
const viewing = { subscription: "viewing", scope: "api" } as const;
const PDF = "application/pdf";
const SVG = "image/svg+xml";
const JSON_TYPE = "application/json";

/** `:study` is our id or a Study Instance UID, as everywhere. */
export function createReceiptsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    readReceiptCall.path,
    guard(viewing),
    describe(readReceiptCall, {
      summary: "Read the signed receipt of a study",
      details:
        "What was received, instance by instance, signed by a key of `/.well-known/jwks.json`. It stays the same until instances are added; `root` names an earlier one. With `Accept: application/pdf`, the paper with a QR code, and the JWS attached.",
      media: [JSON_TYPE, PDF],
      problems: [
        studyNotFound,
        studyAmbiguous,
        receiptNotFound,
        receiptTooLarge,
        archiveDamaged,
        receiptNotReady,
        tooManyReads,
        heldByAnotherNode,
      ],
    }),
    validate("query", readReceiptCall.query),
    async (c) => {
      const { root } = c.req.valid("query");
      return await answerReceipt(
        c,
        deps,
        await readReceipt(deps, c.get("session"), c.req.param("study"), root),
      );
    },
  );

  routes.get(
    listReceiptsCall.path,
    guard(viewing),
    describe(listReceiptsCall, {
      summary: "List the receipts that were given for a study",
      details: "Newest first, at most 20. The first is made when it is asked for.",
      problems: [studyNotFound, studyAmbiguous],
    }),
    async (c) => c.json(await readGivenReceipts(deps, c.get("session"), c.req.param("study"))),
  );

  routes.get(
    publicKeysCall.path,
    guard("public"),
    describe(publicKeysCall, {
      summary: "Read the keys that verify receipts",
      details:
        "A JWK Set (RFC 7517), oldest first. A key that was replaced stays, so that what it signed verifies.",
    }),
    async (c) => {
      c.header("Cache-Control", "public, max-age=300");
      c.header("Access-Control-Allow-Origin", "*");
      return c.json({ keys: await deps.receiptKeys.published() });
    },
  );

  return routes;
}

/** Answers a receipt as JSON, or as the paper if the client prefers it. */
export async function answerReceipt(
  c: Context<HttpEnv>,
  deps: Pick<Deps, "config">,
  found: FoundReceipt,
): Promise<Response> {
  if (prefersPaper(c)) return await answerPaper(c, deps, { receipts: [found] });
  return new Response(streamOf(signedReceipt(found.receipt)), {
    headers: { "Content-Type": JSON_TYPE, "Cache-Control": "private, no-store", Vary: "Accept" },
  });
}

export function prefersPaper(c: Context<HttpEnv>): boolean {
  return wantedType(c) === PDF;
}

/** The QR code of the paper alone. */
export function prefersQr(c: Context<HttpEnv>): boolean {
  return wantedType(c) === SVG;
}

export function answerQr({ config }: Pick<Deps, "config">, { receipt }: FoundReceipt): Response {
  return new Response(qrSvg(checkAddress(config.publicUrl, receipt)), {
    headers: { "Content-Type": SVG, "Cache-Control": "private, no-store", Vary: "Accept" },
  });
}

function wantedType(c: Context<HttpEnv>): string {
  return accepts(c, { header: "Accept", supports: [JSON_TYPE, PDF, SVG], default: JSON_TYPE });
}

export async function answerPaper(
  c: Context<HttpEnv>,
  { config }: Pick<Deps, "config">,
  papered: Papered,
): Promise<Response> {
  const pdf = await drawReceipts(papered, { ...config, locale: c.get("locale") });
  const fileName = c.get("locale") === "pt-BR" ? "recibo.pdf" : "receipt.pdf";
  const answer = answerPdf(new Blob([Uint8Array.from(pdf)]), {
    sizeBytes: pdf.length,
    fileName,
    isDownload: true,
  });
  answer.headers.set("Vary", "Accept, Accept-Language");
  return answer;
}
