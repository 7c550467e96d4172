import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isStorageClass, isStoredSyntax } from "../../../src/server/dimse/negotiate.ts";
import { FRAME_TYPES } from "../../../src/server/features/dicomweb/answers/media-types.ts";
import {
  attributeNamed,
  KEYWORDS,
  levelOf,
  searchedName,
} from "../../../src/server/features/dicomweb/qido/qido-attributes.ts";
import type { Capabilities, WadlResource } from "../../../src/server/openapi/capabilities.ts";
import { TRANSACTIONS } from "../../../src/server/openapi/dicomweb-transactions.ts";
import { TRANSFER_SYNTAXES } from "../../../src/server/openapi/transfer-syntaxes.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";

const WADL = "application/vnd.sun.wadl+xml";
const PUBLIC_URL = "https://exames.example";

let t: TestApp;
let origin: string;
beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL }, jobs: false });
  origin = await t.listen();
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** The routes of a service as the app registers them, such as `GET /studies/{study}`. */
function registered(prefix: string): string[] {
  const routes = t.app.routes.filter(({ path }) => path.startsWith(`${prefix}/`));
  const names = routes.map(({ method, path }) => `${method} ${path.slice(prefix.length)}`);
  return [...new Set(names)]
    .filter((name) => /^(GET|POST) \/(studies|series|instances)/.test(name))
    .map((name) => name.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}"))
    .sort();
}

const methodsOf = ({ path, method, resource }: WadlResource, above: string): string[] => [
  ...method.map(({ name }) => `${name} ${above}/${path}`),
  ...resource.flatMap((one) => methodsOf(one, `${above}/${path}`)),
];

async function capabilities(path: string): Promise<Capabilities> {
  const answer = await t.call("OPTIONS", path, { headers: { accept: "application/json" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  return (await answer.json()) as Capabilities;
}

/** The cells of each row of a table of the page. */
async function tableOf(id: string): Promise<string[][]> {
  const page = await (await fetch(`${origin}/api/conformance`)).text();
  const [, section = ""] = page.split(`<section id="${id}">`);
  const [table = ""] = section.split("</table>");
  return Array.from(table.matchAll(/<tr>(.*?)<\/tr>/g), ([, row = ""]) =>
    Array.from(row.matchAll(/<td>(.*?)<\/td>/g), ([, cell = ""]) => cell.replace(/<[^>]+>/g, "")),
  ).slice(1);
}

describe("OPTIONS on DICOMweb", () => {
  test("describes exactly the methods that answer, for programs and for viewer tokens", async () => {
    const { application } = await capabilities("/dicomweb");
    expect(application.resources.base).toBe(`${PUBLIC_URL}/dicomweb`);
    expect(application.resources.resource.flatMap((one) => methodsOf(one, "")).sort()).toEqual(
      registered("/dicomweb"),
    );
    const viewer = (await capabilities("/dicomweb/t/abc")).application.resources;
    expect(viewer.base).toBe(`${PUBLIC_URL}/dicomweb/t/abc`);
    expect(viewer.resource.flatMap((one) => methodsOf(one, "")).sort()).toEqual(
      registered("/dicomweb/t/:token"),
    );
  });

  test("gives each method the name of its transaction, and each search its attributes", async () => {
    const { application } = await capabilities("/dicomweb/studies");
    const all = (one: WadlResource): WadlResource["method"] => [...one.method, ...one.resource.flatMap(all)];
    const methods = application.resources.resource.flatMap(all);
    expect(methods.filter(({ id }) => id === "")).toEqual([]);
    const search = methods.find(({ id }) => id === "SearchForStudies");
    expect(search?.request.param.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Accept", "limit", "includefield", ...KEYWORDS.study]),
    );
    expect(search?.response.find(({ status }) => status === "200")?.representation).toEqual([
      { mediaType: "application/dicom+json" },
      { mediaType: "multipart/related" },
    ]);
  });

  test("answers WADL unless JSON is asked for, 406 for other types, 404 where nothing is, and preflights of pages as before", async () => {
    for (const [path, accept] of [
      ["/dicomweb", undefined],
      ["/dicomweb/", WADL],
      ["/dicomweb/studies/1.2.3", "*/*"],
    ] as const) {
      const answer = await t.call("OPTIONS", path, { headers: accept ? { accept } : {} });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, WADL]);
      const xml = await answer.text();
      expect(xml).toContain(`<resources base="${PUBLIC_URL}/dicomweb">`);
      const opened = xml.match(/<(application|resources|resource|method|request|response)[ >]/g)?.length;
      expect(xml.match(/<\/(application|resources|resource|method|request|response)>/g)?.length).toBe(
        opened ?? -1,
      );
    }
    const refused = await t.call("OPTIONS", "/dicomweb", { headers: { accept: "text/html" } });
    expect(refused.status).toBe(406);
    for (const path of ["/dicomweb/nothing", "/dicomweb/studies/1.2.3/nothing", "/dicomweb/t/abc/nothing/1"])
      expect((await t.call("OPTIONS", path)).status, path).toBe(404);
    for (const [path, allow] of [
      ["/dicomweb", "OPTIONS, GET, HEAD, POST"],
      ["/dicomweb/t/abc", "OPTIONS, GET, HEAD"],
      ["/dicomweb/studies", "GET, HEAD, OPTIONS, POST"],
      ["/dicomweb/series", "GET, HEAD, OPTIONS"],
      ["/dicomweb/t/abc/studies", "GET, HEAD, OPTIONS"],
    ] as const)
      expect((await t.call("OPTIONS", path)).headers.get("allow"), path).toBe(allow);
    const preflight = await t.call("OPTIONS", "/dicomweb/t/abc/studies", {
      headers: { origin: "null", "access-control-request-method": "GET" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });
});

describe("the conformance statement", () => {
  test("lists each transaction of PS3.18, and those that answer as supported", async () => {
    const rows = await tableOf("studies-service");
    expect(rows.map(([, name]) => name)).toEqual(Object.keys(TRANSACTIONS));
    const supported = rows.filter(([, , isSupported]) => isSupported === "yes").map(([, name]) => name);
    expect(supported.sort()).toEqual(registered("/dicomweb"));
    const viewing = rows.filter(([, , , isViewing]) => isViewing === "yes").map(([, name]) => name);
    expect(viewing.sort()).toEqual(registered("/dicomweb/t/:token"));
  });

  test("lists the attributes that searches match, with tag and level", async () => {
    const rows = await tableOf("attributes");
    const matched = Object.values(KEYWORDS).flat();
    expect(rows.map(([name]) => name)).toEqual(
      matched
        .filter((keyword) => !["TimezoneOffsetFromUTC", "RetrieveURL"].includes(keyword))
        .map((keyword) => searchedName(keyword)),
    );
    expect(rows.flatMap(([name = ""]) => (name.includes(".") ? [name] : []))).toEqual([
      "RequestAttributesSequence.ScheduledProcedureStepID",
      "RequestAttributesSequence.RequestedProcedureID",
    ]);
    for (const [name = "", tag, , level] of rows) {
      const found = attributeNamed(name.replace(/^.*\./, ""))?.tag ?? "";
      expect([tag, level]).toEqual([`(${found.slice(0, 4)},${found.slice(4)})`, levelOf(found)]);
    }
  });

  test("says of each transfer syntax what C-STORE and frames do", async () => {
    const rows = await tableOf("transfer-syntaxes");
    expect(rows.map(([, uid = ""]) => uid)).toEqual(Object.keys(TRANSFER_SYNTAXES));
    for (const [, uid = "", isStored, type] of rows)
      expect([uid, isStored, type]).toEqual([
        uid,
        isStoredSyntax(uid) ? "yes" : "no",
        FRAME_TYPES[uid] ?? "",
      ]);
    expect(Object.keys(FRAME_TYPES).filter((uid) => !(uid in TRANSFER_SYNTAXES))).toEqual([]);
  });

  test("names the classes beside the storage root by what negotiation does with them", async () => {
    const [, , manufacturers, ...named] = await tableOf("sop-classes");
    expect(manufacturers?.at(-1)).toBe(isStorageClass("1.3.12.2.1107.5.9.1") ? "yes" : "no");
    for (const [, uid = "", , isAccepted] of named)
      expect([uid, isAccepted]).toEqual([uid, isStorageClass(uid) ? "yes" : "no"]);
  });
});
