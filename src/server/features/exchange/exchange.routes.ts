import { type Context, Hono } from "hono";
import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { isUid } from "../../../shared/dicom/uid.ts";
import { isUuid } from "../../../shared/uuid.ts";
import { piecesOf } from "../../archive/pieces.ts";
import type { DbOrTx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { uploadProcessLost } from "../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  notAcceptable,
  storageFull,
  unsupportedMediaType,
  validationFailed,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { withoutTimeout } from "../../http/request-timeout.ts";
import type { Session } from "../../http/session.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { archiveHeaders } from "../dicomweb/answers/archive-headers.ts";
import { type DataSetForm, DICOM_JSON, DICOM_XML } from "../dicomweb/answers/media-types.ts";
import { takenOf } from "../dicomweb/answers/taken-data-sets.ts";
import { describeDicomweb, dicomJsonSchema } from "../dicomweb/describe-dicomweb.ts";
import { nativeModelsResponse } from "../dicomweb/native-model/native-models.ts";
import { askedOf } from "../dicomweb/qido/asked-search.ts";
import type { QidoQuery } from "../dicomweb/qido/parse-qido.ts";
import type { Level } from "../dicomweb/qido/qido-attributes.ts";
import { type Found, isLarge, searchResponse } from "../dicomweb/qido/search-response.ts";
import { seriesWouldBeTooLarge, tooManyUploads, uploadTooLarge } from "../ingest/ingest.errors.ts";
import { measureUpload } from "../ingest/measure-upload.ts";
import type { UploadSlots } from "../ingest/upload-slots.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { studyNotFound, studyNotOwner } from "../studies/studies.errors.ts";
import {
  examLimitReached,
  storageLimitReached,
  trialLimitReached,
} from "../subscriptions/subscriptions.errors.ts";
import { nothingToStore, tooManyInstances } from "./exchange.errors.ts";
import { assertBringsInstances } from "./receive-instances.ts";
import { type SearchDeps, searchAllInstances, searchAllSeries, searchAllStudies } from "./search-all.ts";
import { storeInstances } from "./store-instances.ts";

const storedTypes = ["multipart/related", "application/dicom"];

const describe = describeIn("DICOMweb");

/** DICOMweb for programs of others, over everything that the caller may see; mounted at `/dicomweb`. */
export function createExchangeRoutes(deps: Deps, guard: Guard, slots: UploadSlots) {
  const routes = new Hono<HttpEnv>();
  const baseUrl = `${deps.config.publicUrl}/dicomweb`;

  async function store(c: Context<HttpEnv>, studyInstanceUID: string | undefined): Promise<Response> {
    const { form } = takenOf(c, true);
    assertBringsInstances(c.req.raw);
    const session = c.get("session");
    const { userId: accountId, isTrial } = session;
    using slot = slots.take({ accountId, isTrial });
    withoutTimeout(c);
    c.get("admitBody")();
    const recheck = createRecheck(deps.elapsedMs, c.get("readmit"));
    const request = { request: c.req.raw, studyInstanceUID, baseUrl, recheck };
    const { status, body } = await measureUpload(deps.meters.uploads, slot, () =>
      storeInstances(deps, { caller: session, origin: originOf(c), slot }, request),
    );
    return storedResponse(body, status, form);
  }

  type Search = (deps: SearchDeps, session: Session, query: QidoQuery) => Promise<Found>;
  const searching = (search: Search, levels: readonly Level[]) => async (c: Context<HttpEnv>) => {
    const asked = askedOf(c, levels);
    const found = await search({ ...deps, baseUrl, signal: c.req.raw.signal }, c.get("session"), asked.query);
    const response = await searchResponse(found, { ...asked, answersNoContent: true, request: c.req.raw });
    return isLarge(found)
      ? whileAllowed(c, response, createRecheck(deps.elapsedMs, c.get("readmit")))
      : response;
  };
  const reading = guard({ subscription: "viewing", scope: "dicomweb:read" });
  const described = describeDicomweb({ room: "DICOMweb", retrievals: "" });
  routes.get("/studies", reading, described.searchStudies, searching(searchAllStudies, ["study"]));
  routes.get("/series", reading, described.searchAllSeries, searching(searchAllSeries, ["study", "series"]));
  routes.get(
    "/instances",
    reading,
    described.searchAllInstances,
    searching(searchAllInstances, ["study", "series", "instance"]),
  );

  const storing = {
    details:
      'Parts of `multipart/related; type="application/dicom"`, or one instance as `application/dicom`. 200: all are stored; 202: some, or one beside other bytes under its UID; 409: none. Failed instances are named with a reason of PS3.18 annex I. Over quota nothing is stored. An instance that is there already is not stored twice.',
    media: [DICOM_JSON, DICOM_XML],
    also: { 202: "Some were stored.", 409: "None was stored." },
    problems: [
      notAcceptable,
      unsupportedMediaType,
      nothingToStore,
      tooManyInstances,
      uploadTooLarge,
      seriesWouldBeTooLarge,
      examLimitReached,
      storageLimitReached,
      trialLimitReached,
      tooManyUploads,
      uploadProcessLost,
      storageFull,
    ],
  };

  routes.post(
    "/studies",
    guard({ subscription: "own", scope: "dicomweb:write" }),
    describe(
      { answer: dicomJsonSchema, bytes: storedTypes },
      { ...storing, summary: "Store instances (STOW-RS)" },
    ),
    (c) => store(c, undefined),
  );
  routes.post(
    "/studies/:study",
    guard({ subscription: "own", scope: "dicomweb:write" }),
    describe(
      { answer: dicomJsonSchema, bytes: storedTypes },
      {
        ...storing,
        summary: "Store instances of one study (STOW-RS)",
        problems: [...storing.problems, studyNotFound, studyNotOwner],
      },
    ),
    async (c) => store(c, await uidOfStudy(deps.db, c.get("session"), c.req.param("study"))),
  );

  return routes;
}

/**
 * The UID that a path names a study by. Our id names one that is there, and only its owner adds to it.
 * @throws {AppError} 400 if it is neither, `study.not_found`, `study.not_owner`
 */
async function uidOfStudy(db: DbOrTx, caller: Session, reference: string): Promise<string> {
  if (isUid(reference)) return reference;
  if (!isUuid(reference)) throw new AppError(validationFailed, { detail: "no UID" });
  const { accountId, studyInstanceUID } = await findStudy(db, caller, reference);
  if (accountId !== caller.userId) throw new AppError(studyNotOwner);
  return studyInstanceUID;
}

/** Answers one data set. */
function storedResponse(body: DicomJson, status: number, form: DataSetForm): Response {
  if (form === "json") return Response.json(body, { status, headers: archiveHeaders(DICOM_JSON) });
  const json = piecesOf(Buffer.from(JSON.stringify([body])));
  const { body: xml, headers } = nativeModelsResponse(json, form, "identity");
  return new Response(xml, { status, headers });
}
