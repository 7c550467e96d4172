import { type Context, Hono } from "hono";
import * as z from "zod/mini";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  archiveDamaged,
  bodyInterrupted,
  bodyTooLarge,
  notAcceptable,
  notFound,
  unsupportedMediaType,
  validationFailed,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { bufferBody } from "../../http/json-body.ts";
import { createErrorHandler } from "../../http/problem.ts";
import { originOf } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { unmatched } from "../../http/unmatched.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { acceptedTypes, MAX_HEADER_LENGTH } from "../dicomweb/answers/accepted-types.ts";
import { openReportOf } from "../reports/open-report.ts";
import { reportNotFound } from "../reports/reports.errors.ts";
import { binaryForm } from "./binary.ts";
import { capabilityStatement, dicomwebEndpoint, FHIR_JSON } from "./capability-statement.ts";
import { elementsIn } from "./elements.ts";
import { ENDPOINT, type FhirResource } from "./fhir-resource.ts";
import { operationOutcome } from "./operation-outcome.ts";
import { parseFhirSearch } from "./parse-fhir-search.ts";
import { searchBundle } from "./search-bundle.ts";
import {
  findStudyForFhir,
  searchDiagnosticReports,
  searchImagingStudies,
  searchOfOne,
} from "./search-fhir.ts";
import { ORDER, SEARCH_PARAMETERS, type SearchedType } from "./search-parameters.ts";

const describe = describeIn("FHIR");

const answer = z.looseObject({ resourceType: z.string() });
const json = { media: [FHIR_JSON], failure: FHIR_JSON, problems: [notAcceptable] };
const one = {
  ...json,
  params: { study: "The study's `id`." },
  problems: [validationFailed, notFound, notAcceptable],
};
const searching = { ...json, problems: [validationFailed, notAcceptable] };
const FORM = "application/x-www-form-urlencoded";
/** The parameters of a search, as its address has them. */
const formSchema = z.record(z.string(), z.string());
/** A search with more is no search by hand or by program, and its address would not fit into a request. */
const MAX_FORM_BYTES = 16 * 1024;
const posting = {
  ...json,
  formType: FORM,
  problems: [validationFailed, notAcceptable, unsupportedMediaType, bodyTooLarge, bodyInterrupted],
};
const SEARCHING =
  "Answers a Bundle with the `total` of matches; its links `next`, `previous` and `first` lead to other pages. `_count` is at most 100. `_include` and `_revinclude` bring what `/fhir/metadata` names. Parameters that are unknown are ignored and not in the link `self`, unless `Prefer: handling=strict` is sent.";

/** The parameters of a search for a type, as the API's document has them. */
function asksOf(type: SearchedType): Record<string, string> {
  const compared = Object.entries(SEARCH_PARAMETERS[type]).map(([name, { type: kind, documentation }]) => [
    name,
    documentation ?? `A ${kind} of FHIR R4.`,
  ]);
  return {
    ...(Object.fromEntries(compared) as Record<string, string>),
    _count: "The most matches of a page; up to 100.",
    _offset: "Matches to pass over.",
    _total: "`none`: matches are not counted.",
    _summary: "`count`: the number of matches alone. `true` or `text`: fewer elements of them.",
    _elements: "Names of elements: matches have no others, but for those that FHIR requires.",
    _sort: `Only \`${ORDER[type]}\`, the order of every answer.`,
    _include: "Resources that a match names, as `/fhir/metadata` has them.",
    _revinclude: "Resources that name a match.",
  };
}

/** FHIR R4 (4.0.1), read only: studies and reports that the caller may see; mounted at `/fhir`. */
export function createFhirRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  const { productName, publicUrl } = deps.config;
  const fhirUrl = `${publicUrl}/fhir`;
  const facts = { productName, fhirUrl, dicomwebUrl: `${publicUrl}/dicomweb` };
  const reading = guard({ subscription: "viewing", scope: "dicomweb:read" });

  routes.onError(
    createErrorHandler(deps.log, { type: FHIR_JSON, bodyOf: (problem) => operationOutcome(problem) }),
  );

  routes.get(
    "/metadata",
    guard("public"),
    describe({ answer }, { ...json, summary: "Read what FHIR does here (CapabilityStatement)" }),
    (c) => {
      assertAcceptsFhir(c);
      return resourceResponse(c, capabilityStatement(facts));
    },
  );

  const finders = { ImagingStudy: searchImagingStudies, DiagnosticReport: searchDiagnosticReports };

  const search = (type: SearchedType) => async (c: Context<HttpEnv>) => {
    const parameters = await parametersOf(c);
    assertAcceptsFhir(c, parameters.get("_format"));
    const isStrict = STRICT.test(c.req.header("prefer") ?? "");
    const hosts = [fhirUrl, c.req.url].map((address) => new URL(address).host);
    const asked = parseFhirSearch(type, parameters, { isStrict, hosts, now: deps.clock.now() });
    const { brought, ...found } = await finders[type](deps, c.get("session"), asked, fhirUrl);
    const hasStudy = [...found.matches, ...brought].some((one) => one.resourceType === "ImagingStudy");
    if (hasStudy && asked.brought.has("Endpoint")) brought.push(dicomwebEndpoint(facts));
    return resourceResponse(c, searchBundle(fhirUrl, type, asked, { ...found, brought }));
  };
  const read = (type: SearchedType) => async (c: Context<HttpEnv>) => {
    assertAcceptsFhir(c);
    const elements = elementsIn(new URL(c.req.url).searchParams, type);
    const wanted = searchOfOne(uuidOf(c.req.param("study")), elements);
    const { matches } = await finders[type](deps, c.get("session"), wanted, fhirUrl);
    const [resource] = matches;
    if (!resource) throw new AppError(notFound);
    return resourceResponse(c, resource);
  };

  routes.get(
    "/ImagingStudy",
    reading,
    describe(
      { answer },
      {
        ...searching,
        asks: asksOf("ImagingStudy"),
        summary: "Search studies (ImagingStudy)",
        details: SEARCHING,
      },
    ),
    search("ImagingStudy"),
  );
  routes.post(
    "/ImagingStudy/_search",
    reading,
    describe(
      { answer, form: formSchema },
      { ...posting, summary: "Search studies (ImagingStudy), with a form", details: SEARCHING },
    ),
    search("ImagingStudy"),
  );
  routes.get(
    "/ImagingStudy/:study",
    reading,
    describe({ answer }, { ...one, summary: "Read a study (ImagingStudy)" }),
    read("ImagingStudy"),
  );
  routes.get(
    "/DiagnosticReport",
    reading,
    describe(
      { answer },
      {
        ...searching,
        asks: asksOf("DiagnosticReport"),
        summary: "Search reports (DiagnosticReport)",
        details: SEARCHING,
      },
    ),
    search("DiagnosticReport"),
  );
  routes.post(
    "/DiagnosticReport/_search",
    reading,
    describe(
      { answer, form: formSchema },
      { ...posting, summary: "Search reports (DiagnosticReport), with a form", details: SEARCHING },
    ),
    search("DiagnosticReport"),
  );
  routes.get(
    "/DiagnosticReport/:study",
    reading,
    describe({ answer }, { ...one, summary: "Read a report (DiagnosticReport)" }),
    read("DiagnosticReport"),
  );
  routes.get(
    "/Endpoint/:id",
    reading,
    describe(
      { answer },
      {
        ...one,
        params: { id: `\`${ENDPOINT}\`.` },
        summary: "Read where the images are (Endpoint)",
      },
    ),
    (c) => {
      assertAcceptsFhir(c);
      if (c.req.param("id") !== ENDPOINT) throw new AppError(notFound);
      return resourceResponse(c, dicomwebEndpoint(facts));
    },
  );
  routes.get(
    "/Binary/:study",
    reading,
    describe(
      {},
      {
        ...one,
        media: ["application/pdf", FHIR_JSON],
        summary: "Read the PDF of a report (Binary)",
        details:
          "The PDF itself; for `Accept: application/fhir+json` a Binary that has it as base64, of a PDF of at most 10 MB (406).",
        problems: [validationFailed, notFound, reportNotFound, notAcceptable, archiveDamaged],
      },
    ),
    async (c) => {
      const isResource = wantsBinaryResource(c);
      const find = async (reader: Session) => {
        const found = await findStudyForFhir(deps, reader, uuidOf(c.req.param("study")));
        if (!found) throw new AppError(notFound);
        return found;
      };
      const study = await find(c.get("session"));
      const recheck = createRecheck(deps.elapsedMs, async () => find(await c.get("readmit")()));
      const form = isResource ? binaryForm(study.id) : undefined;
      const reading = { request: c.req.raw, origin: originOf(c) };
      const answer = await openReportOf(deps, c.get("session"), study, reading, form);
      answer.headers.set("Vary", "Accept");
      return whileAllowed(c, answer, recheck);
    },
  );
  // Every failure below this address is an OperationOutcome.
  routes.all("/*", (c) => {
    throw unmatched(c);
  });

  return routes;
}

/** RFC 7240 §2: among other preferences, and perhaps between quotes. */
const STRICT = /(?:^|[,;\s])handling\s*=\s*(?:strict|"strict")\s*(?:$|[,;])/i;

function resourceResponse(c: Context<HttpEnv>, resource: FhirResource): Response {
  const changedAt = (resource.meta as { lastUpdated?: string } | undefined)?.lastUpdated;
  return c.body(JSON.stringify(resource), 200, {
    "Content-Type": `${FHIR_JSON}; charset=utf-8`,
    ...(changedAt && { "Last-Modified": new Date(changedAt).toUTCString() }),
    "Cache-Control": "private, no-store",
    Vary: "Accept",
  });
}

/** Of a search: those of its address, and of its form if it is sent with one (FHIR R4 §3.1.1.1). @throws {AppError} 413, 415 */
async function parametersOf(c: Context<HttpEnv>): Promise<URLSearchParams> {
  const { searchParams } = new URL(c.req.url);
  if (c.req.method !== "POST") return searchParams;
  const [type] = (c.req.header("content-type") ?? "").split(";");
  if (type?.trim().toLowerCase() !== FORM) throw new AppError(unsupportedMediaType);
  await bufferBody(c, MAX_FORM_BYTES);
  return new URLSearchParams([...searchParams, ...new URLSearchParams(await c.req.text())]);
}

/** @throws {AppError} 404 for what can be no id of ours */
function uuidOf(text: string | undefined): string {
  if (text === undefined || !isUuid(text)) throw new AppError(notFound);
  return text;
}

const JSON_TYPES = new Set([FHIR_JSON, "application/json", "application/json+fhir", "json"]);
const ANY_TYPE = new Set(["*/*", "application/*"]);

/** @throws {AppError} 406 if the client takes XML or Turtle only */
function assertAcceptsFhir(c: Context<HttpEnv>, format = c.req.query("_format") ?? null): void {
  const types = typesIn(format ?? c.req.header("accept"));
  const isWelcome = types.some((type) => JSON_TYPES.has(type) || ANY_TYPE.has(type));
  if (types.length > 0 && !isWelcome) throw new AppError(notAcceptable);
}

/**
 * Whether the client wants the PDF inside a resource: if it likes a type of FHIR best (FHIR R4 §2.44.4).
 * @throws {AppError} 406 if it takes neither that nor the PDF
 */
function wantsBinaryResource(c: Context<HttpEnv>): boolean {
  const types = typesIn(c.req.query("_format") ?? c.req.header("accept"));
  const best = types.find((type) => JSON_TYPES.has(type) || type === "application/pdf" || ANY_TYPE.has(type));
  if (types.length > 0 && best === undefined) throw new AppError(notAcceptable);
  return best !== undefined && JSON_TYPES.has(best);
}

/** The versions of FHIR that a media type may name, of which R4 is one. */
const R4 = /^4\.0(?:\.1)?$/;

/**
 * The media types of a header, those that the client likes best first. One of another version of FHIR is no type of ours.
 * @throws {AppError} 406 if the client refuses all that it names
 */
function typesIn(accept = ""): string[] {
  const taken = acceptedTypes(accept.slice(0, MAX_HEADER_LENGTH));
  if (taken.length === 0 && accept.trim() !== "") throw new AppError(notAcceptable);
  return taken.map(({ type, parameters }) => {
    const version = parameters.get("fhirversion");
    const isOther = version !== undefined && !R4.test(version);
    return isOther ? `${type}; fhirversion=${version}` : type.replace("fhir json", "fhir+json");
  });
}
