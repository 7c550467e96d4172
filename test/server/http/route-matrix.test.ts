import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accessOf } from "../../../src/server/http/guard.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusHeaders, tusOf } from "../../support/app/tus.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/*
 * Every route × every kind of caller. `user` owns the study; `doctor` and `lab` were granted it; `expired` was
 * granted it too, but their subscription has ended. Cells are read-only calls or calls with an empty body, so that one
 * does not change the next: a 400 says "allowed, but the body is wrong", a 404 "not found for this caller".
 */
const callers = ["visitor", "user", "other", "doctor", "lab", "admin", "unauthorised", "expired"] as const;
type Caller = (typeof callers)[number];
type Row = Record<Caller, number>;

const row = (
  visitor: number,
  user: number,
  other: number,
  doctor: number,
  lab: number,
  admin: number,
  expired: number,
): Row => ({
  visitor,
  user,
  other,
  doctor,
  lab,
  admin,
  unauthorised: visitor === 401 ? 401 : visitor,
  expired,
});

const everyone = (status: number): Row => row(status, status, status, status, status, status, status);
const signedIn = (status: number): Row => row(401, status, status, status, status, status, status);
const adminOnly = (status: number): Row => row(401, 403, 403, 403, 403, status, 403);
const unknownId = "01890000-0000-7000-8000-000000000000";
/** Of the series of `sampleZip({ study: "1" })`. */
const seriesUID = "2.25.2.1.1";
const instanceUID = "2.25.3.1.1.1";

/** Of a `POST` that stands for a `PATCH`, and of a `PATCH`. */
const TUS_PIECE = {
  "content-type": "application/offset+octet-stream",
  "content-length": "4",
  "upload-offset": "0",
  "x-http-method-override": "PATCH",
};

const matrix: Record<string, Row> = {
  "GET /api/health": everyone(200),
  "GET /metrics": everyone(404),
  "GET /api/openapi.json": everyone(200),
  "GET /.well-known/jwks.json": everyone(200),
  "POST /api/auth/register": everyone(400),
  "POST /api/auth/login": everyone(400),
  "POST /api/auth/verify-2fa": everyone(400),
  "POST /api/auth/resend-code": everyone(400),
  "POST /api/auth/forgot-password": everyone(400),
  "POST /api/auth/reset-password": everyone(400),
  "POST /api/auth/stop-email-change": everyone(400),
  "POST /api/support/send": everyone(415),
  "GET /api/downloads/:token": everyone(401),
  "GET /confirm-email/:token": everyone(303),
  "GET /api/auth/me": signedIn(200),
  "POST /api/auth/passkeys/sign-in-options": everyone(409),
  "POST /api/auth/passkeys/sign-in": everyone(400),
  "GET /api/auth/factors": signedIn(200),
  "POST /api/auth/passkeys/proof-options": signedIn(409),
  "POST /api/auth/passkeys/registration-options": signedIn(409),
  "POST /api/auth/passkeys": signedIn(400),
  "PATCH /api/auth/passkeys/:id": signedIn(400),
  "POST /api/auth/passkeys/:id/remove": signedIn(404),
  "POST /api/auth/totp": signedIn(201),
  "POST /api/auth/totp/confirm": signedIn(400),
  "POST /api/auth/totp/remove": signedIn(404),
  "POST /api/auth/recovery-codes": signedIn(409),
  "GET /api/tokens": signedIn(200),
  "POST /api/tokens": signedIn(400),
  "DELETE /api/tokens/:id": signedIn(404),
  "GET /api/receivers": signedIn(200),
  "POST /api/receivers": row(401, 400, 400, 403, 403, 400, 403),
  "DELETE /api/receivers/:id": signedIn(404),
  "GET /api/users/exam-count": signedIn(200),
  "GET /api/users/activity": signedIn(200),
  "POST /api/users/accept-terms": signedIn(200),
  "PATCH /api/users/profile": signedIn(400),
  "GET /api/subscriptions/usage-stats": row(401, 200, 200, 404, 404, 404, 200),
  "GET /api/subscriptions/my-subscription": row(401, 200, 200, 404, 404, 404, 200),
  "GET /api/subscriptions/usage-history": signedIn(200),
  "GET /api/subscriptions/plans": signedIn(200),
  "PATCH /api/subscriptions/plans/:id": adminOnly(404),
  "GET /api/subscriptions/all": adminOnly(200),
  "GET /api/subscriptions/removals": adminOnly(200),
  "POST /api/subscriptions/removals/:id/undo": adminOnly(404),
  "GET /api/subscriptions/summary": adminOnly(200),
  "POST /api/subscriptions/subscribe": adminOnly(400),
  "POST /api/payments/create": row(401, 400, 400, 403, 403, 403, 400),
  "GET /api/payments/user/history": signedIn(200),
  "GET /api/payments": adminOnly(200),
  "GET /api/payments/:id": signedIn(404),
  "POST /api/payments/:id/confirm": adminOnly(404),
  "POST /api/payments/:id/refund": adminOnly(404),
  "POST /api/payments/webhook/:secret": everyone(404),
  "POST /api/payments/webhook/:secret/pix": everyone(404),
  "POST /api/users/delete-own": signedIn(400),
  "POST /api/users/export-ticket": signedIn(201),
  "GET /api/exports/:token": everyone(401),
  "GET /api/operations": adminOnly(200),
  "GET /api/operations/dead-letters": adminOnly(200),
  "POST /api/operations/dead-letters/retry": adminOnly(400),
  "POST /api/operations/dead-letters/dismiss": adminOnly(400),
  "GET /api/integrity": adminOnly(200),
  "GET /api/integrity/findings": adminOnly(200),
  "POST /api/integrity/findings/:id/recheck": adminOnly(404),
  "POST /api/integrity/findings/:id/restore": adminOnly(404),
  "GET /api/users": adminOnly(200),
  "POST /api/users": adminOnly(400),
  "PATCH /api/users/:id": adminOnly(404),
  "POST /api/users/:id/clear-factors": adminOnly(400),
  "DELETE /api/users/:id": adminOnly(404),
  "OPTIONS /api/uploads": everyone(204),
  "OPTIONS /api/uploads/:upload": everyone(204),
  "POST /api/uploads": row(401, 412, 412, 403, 403, 412, 403),
  "GET /api/uploads": signedIn(200),
  "GET /api/uploads/:upload": signedIn(404),
  "PATCH /api/uploads/:upload": row(401, 412, 412, 403, 403, 412, 403),
  "POST /api/uploads/:upload": row(401, 412, 412, 403, 403, 412, 403),
  "DELETE /api/uploads/:upload": signedIn(412),
  "POST /api/upload-dicom": row(401, 415, 415, 403, 403, 415, 403),
  "POST /api/studies/kept": row(401, 400, 400, 403, 403, 400, 403),
  "GET /api/notifications": signedIn(200),
  "POST /api/notifications/read": signedIn(200),
  "GET /api/notifications/mails": signedIn(200),
  "PATCH /api/notifications/mails": signedIn(400),
  "GET /api/shared-with-me": row(401, 200, 200, 200, 200, 200, 403),
  "GET /api/studies": row(401, 200, 200, 200, 200, 200, 403),
  "GET /api/studies/:study": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/status": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/kept-instances": row(401, 200, 404, 403, 403, 404, 403),
  "GET /api/studies/:study/series": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/receipt": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/receipts": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/thumbnail": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/series/:series/thumbnail": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/first-image/metadata": row(401, 200, 404, 200, 200, 200, 403),
  "GET /api/studies/:study/first-image/frame": row(401, 200, 404, 200, 200, 200, 403),
  "POST /api/studies/:study/assign": row(401, 400, 400, 400, 400, 400, 403),
  "POST /api/studies/:study/invitations": row(401, 400, 400, 400, 400, 400, 403),
  "GET /api/studies/:study/invitations": row(401, 200, 404, 403, 403, 200, 403),
  "DELETE /api/studies/:study/invitations/:id": row(401, 404, 404, 403, 403, 404, 403),
  "POST /api/invitations/read": everyone(400),
  "POST /api/invitations/accept": everyone(400),
  "GET /api/studies/:study/grants": row(401, 200, 404, 403, 403, 200, 403),
  "DELETE /api/studies/:study/grants/:userId": row(401, 204, 404, 403, 403, 204, 403),
  "POST /api/studies/:study/retry-transfer": row(401, 202, 404, 403, 403, 202, 403),
  "GET /api/studies/:study/download": row(401, 200, 404, 403, 403, 200, 403),
  "POST /api/studies/:study/download-ticket": row(401, 201, 404, 403, 403, 201, 403),
  "POST /api/studies/download-ticket": row(401, 400, 400, 400, 400, 400, 403),
  "PATCH /api/studies/:study": row(401, 400, 400, 400, 400, 400, 403),
  "DELETE /api/studies/:study": row(401, 200, 404, 403, 403, 200, 403),
  "POST /api/studies/:study/share": row(401, 400, 400, 400, 400, 400, 403),
  "GET /api/studies/:study/audit": row(401, 200, 404, 403, 403, 200, 403),
  "POST /api/studies/laudo/upload": row(401, 415, 415, 415, 415, 415, 403),
  "GET /api/studies/laudo/:study": row(401, 404, 404, 404, 404, 404, 403),
  "DELETE /api/studies/laudo/:study": row(401, 404, 404, 404, 404, 404, 403),
  "POST /api/links": row(401, 400, 400, 403, 403, 400, 403),
  "GET /api/links": signedIn(200),
  "GET /api/links/:id/openings": signedIn(404),
  "DELETE /api/links/:id": signedIn(404),
  "POST /api/requests": row(401, 400, 400, 403, 403, 400, 403),
  "GET /api/requests": signedIn(200),
  "DELETE /api/requests/:id": signedIn(404),
  "POST /api/requests/open": everyone(400),
  "POST /api/deliveries": everyone(400),
  "GET /api/uploads/:upload/receipt": signedIn(404),
  "POST /api/visits": everyone(400),
  "GET /api/visits/:token": everyone(401),
  "POST /api/visits/:token/keep": row(401, 401, 401, 401, 401, 401, 403),
  "GET /api/visits/:token/studies/:study/laudo": everyone(401),
  "GET /api/visits/:token/studies/:study/download": everyone(401),
  "GET /api/visits/:token/studies/:study/thumbnail": everyone(401),
  "GET /api/visits/:token/studies/:study/series/:series/thumbnail": everyone(401),
  "GET /api/visits/:token/studies/:study/first-image/metadata": everyone(401),
  "GET /api/visits/:token/studies/:study/first-image/frame": everyone(401),
  "GET /api/exams-lab": row(401, 200, 200, 403, 403, 403, 403),
  "GET /api/exams-lab/stats": row(401, 200, 200, 403, 403, 403, 403),
  "POST /api/exams-lab/upload": row(401, 415, 415, 403, 403, 403, 403),
  "GET /api/exams-lab/:id/view": row(401, 404, 404, 403, 403, 403, 403),
  "GET /api/exams-lab/:id/download": row(401, 404, 404, 403, 403, 403, 403),
  "DELETE /api/exams-lab/:id": row(401, 404, 404, 403, 403, 403, 403),
  "GET /dicomweb/studies/:study/series": row(401, 200, 404, 200, 200, 200, 403),
  "GET /dicomweb/studies/:study/instances": row(401, 200, 404, 200, 200, 200, 403),
  "GET /dicomweb/studies/:study/series/:series/instances": row(401, 200, 404, 200, 200, 200, 403),
  "GET /dicomweb/studies/:study/metadata": row(401, 200, 404, 200, 200, 200, 403),
  "GET /dicomweb/studies/:study/series/:series/metadata": row(401, 200, 404, 200, 200, 200, 403),
  "GET /dicomweb/studies/:study/series/:series/instances/:instance/metadata": row(
    ...([401, 200, 404, 200, 200, 200, 403] as const),
  ),
  "GET /dicomweb/studies/:study/series/:series/instances/:instance/frames/:frames": row(
    ...([401, 200, 404, 200, 200, 200, 403] as const),
  ),
  "GET /dicomweb/studies/:study/series/:series/instances/:instance/bulkdata/:path": row(
    ...([401, 200, 404, 200, 200, 200, 403] as const),
  ),
  "GET /dicomweb/studies/:study/series/:series/instances/:instance": row(
    ...([401, 200, 404, 403, 403, 200, 403] as const),
  ),
  "GET /dicomweb/studies/:study/series/:series": row(401, 200, 404, 403, 403, 200, 403),
  "GET /dicomweb/studies/:study": row(401, 200, 404, 403, 403, 200, 403),
  "GET /dicomweb/studies": row(401, 200, 204, 200, 200, 200, 403),
  "GET /dicomweb/series": row(401, 200, 204, 200, 200, 200, 403),
  "GET /dicomweb/instances": row(401, 200, 204, 200, 200, 200, 403),
  ...Object.fromEntries(
    ["", "/series/:series", "/series/:series/instances/:instance"].flatMap((place) => [
      [`GET /dicomweb/studies/:study${place}/bulkdata`, row(401, 200, 404, 403, 403, 200, 403)],
      [`GET /dicomweb/studies/:study${place}/pixeldata`, row(401, 200, 404, 403, 403, 200, 403)],
      [`GET /dicomweb/studies/:study${place}/rendered`, row(401, 200, 404, 200, 200, 200, 403)],
      [`GET /dicomweb/studies/:study${place}/thumbnail`, row(401, 200, 404, 200, 200, 200, 403)],
    ]),
  ),
  ...Object.fromEntries(
    ["rendered", "thumbnail"].map((picture) => [
      `GET /dicomweb/studies/:study/series/:series/instances/:instance/frames/:frames/${picture}`,
      row(401, 200, 404, 200, 200, 200, 403),
    ]),
  ),
  "OPTIONS /dicomweb": everyone(200),
  "OPTIONS /dicomweb/:resource": everyone(404),
  "POST /dicomweb/studies": row(401, 415, 415, 403, 403, 415, 403),
  "POST /dicomweb/studies/:study": row(401, 415, 415, 403, 403, 415, 403),
  "GET /wado": row(401, 400, 400, 400, 400, 400, 403),
  "GET /fhir/metadata": everyone(200),
  "GET /fhir/ImagingStudy": row(401, 200, 200, 200, 200, 200, 403),
  "POST /fhir/ImagingStudy/_search": row(401, 415, 415, 415, 415, 415, 403),
  "GET /fhir/ImagingStudy/:study": row(401, 200, 404, 200, 200, 200, 403),
  "GET /fhir/DiagnosticReport": row(401, 200, 200, 200, 200, 200, 403),
  "POST /fhir/DiagnosticReport/_search": row(401, 415, 415, 415, 415, 415, 403),
  "GET /fhir/DiagnosticReport/:study": row(401, 404, 404, 404, 404, 404, 403),
  "GET /fhir/Binary/:study": row(401, 404, 404, 404, 404, 404, 403),
  "GET /fhir/Endpoint/:id": row(401, 404, 404, 404, 404, 404, 403),
  "GET /generate-token": row(401, 400, 400, 400, 400, 400, 403),
  // Late, since it ends the subscription and removes the studies.
  "POST /api/subscriptions/cancel": row(401, 200, 200, 409, 409, 409, 409),
  // Last, since it ends the sessions of all who call it.
  "POST /api/auth/logout": signedIn(200),
};

let t: TestApp;
let people: Record<Caller, Person | undefined>;
let studyId: string;
/** Deleted by the calls that delete; one for each caller who may. */
const spare: string[] = [];

beforeAll(async () => {
  t = await createTestApp();
  const add = (name: string, options?: Parameters<TestApp["addPerson"]>[1]) => t.addPerson(name, options);
  people = {
    visitor: undefined,
    user: await add("Dona do Exame", { plan: "clinica" }),
    other: await add("Outra Pessoa"),
    doctor: await add("Doutora", { role: "doctor", plan: null }),
    lab: await add("Laboratório", { role: "lab", plan: null }),
    admin: await add("Administradora", { role: "admin", plan: null }),
    unauthorised: await add("Bloqueada"),
    expired: await add("Vencida"),
  };
  const owner = people.user as Person;
  studyId = (await t.store(owner, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
  const more = await t.store(owner, sampleZip({ study: "2" }, { study: "3" }));
  spare.push(...more.studies.map((study) => study.id));
  for (const caller of ["doctor", "lab", "expired"] as const) {
    const json = { userId: people[caller]?.id };
    await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json });
  }
  await t.sql`update users set is_authorized = false where id = ${people.unauthorised?.id ?? ""}`;
  await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${people.expired?.id ?? ""}`;
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

test("the matrix names exactly the declared routes", () => {
  const declared = t.app.routes
    .filter(({ handler }) => accessOf(handler) !== undefined)
    .map(({ method, path }) => `${method} ${path.replace(/\{.*\}/, "")}`);
  expect([...new Set(declared)].sort()).toEqual(Object.keys(matrix).sort());
});

describe("an id that is none is as unknown as any other", () => {
  const named = Object.entries(matrix).filter(([route]) => route.includes(":id"));
  test.each(named)("%s", async (route, expected) => {
    const [method = "", path = ""] = route.split(" ");
    const concrete = path.replace(":study", studyId).replace(":id", "nonsense");
    const json = method === "GET" || method === "DELETE" ? undefined : {};
    for (const caller of ["user", "admin"] as const) {
      const { status } = await t.call(method, concrete, { as: people[caller], json });
      expect([caller, status]).toEqual([caller, expected[caller] === 403 ? 403 : 404]);
    }
  });
});

test("what belongs to another account is answered as what does not exist", async () => {
  const { user, other } = people as Record<"user" | "other", Person>;
  const made = async (path: string, json: object) => {
    const answer = await t.call("POST", path, { as: user, json });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  };
  const lab = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  const kept = await t.call("POST", "/api/exams-lab/upload", { as: user, ...lab });
  const invitations = `/api/studies/${studyId}/invitations`;
  const ids: Record<string, string> = {
    "/api/exams-lab/:id": ((await kept.json()) as { id: string }).id,
    "/api/links/:id": await made("/api/links", { studyIds: [studyId] }),
    "/api/requests/:id": await made("/api/requests", { label: "Clínica" }),
    "/api/tokens/:id": await made("/api/tokens", { name: "Programa", scopes: ["api"] }),
    "/api/receivers/:id": await made("/api/receivers", { aeTitle: "DE_OUTRA" }),
    "/api/uploads/:upload": (await tusOf(t, user).begin(1_000)).split("/").at(-1) ?? "",
    [`${invitations}/:id`]: await made(invitations, { email: "doutora@example.com" }),
  };
  const told: unknown[] = [];
  for (const [place, id] of Object.entries(ids)) {
    const routes = Object.keys(matrix).filter((route) =>
      route.replace(":study", studyId).split(" ")[1]?.startsWith(place),
    );
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes.filter((one) => !one.startsWith("OPTIONS"))) {
      const [method = "", path = ""] = route.replace(":study", studyId).split(" ");
      const answerOf = async (one: string) => {
        const body = method === "PATCH" || method === "POST" ? new Uint8Array(4) : undefined;
        const headers = { ...tusHeaders, ...(body && TUS_PIECE) };
        const asked = { as: other, headers, ...(body && { body }) };
        const answer = await t.call(method, path.replace(/:id|:upload/, one), asked);
        return [answer.status, (await answer.text()).replace(/"requestId":"[^"]*"/, "")];
      };
      const answer = await answerOf(id);
      expect([route, ...answer]).toEqual([route, ...(await answerOf(unknownId))]);
      told.push(answer[0]);
    }
  }
  expect(new Set(told)).toEqual(new Set([404]));
});

describe("a token opens nothing in the place of another kind", () => {
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    const as = people.user as Person;
    const made = async (path: string, json: object, by?: Person) =>
      (await (await t.call("POST", path, { as: by, json })).json()) as Record<"id" | "url" | "token", string>;
    const data = Buffer.from(JSON.stringify([{ userId: as.id, id: studyId }])).toString("base64url");
    const viewer = (await (await t.call("GET", `/generate-token?data=${data}`, { as })).json()) as Person;
    const [link, request] = [
      await made("/api/links", { studyIds: [studyId] }, as),
      await made("/api/requests", { label: "Clínica" }, as),
    ];
    const secretOf = ({ url }: { url: string }) => new URL(url).hash.slice(1);
    const visit = await made("/api/visits", { link: link.id, secret: secretOf(link) });
    const delivery = await made("/api/deliveries", {
      request: request.id,
      secret: secretOf(request),
      from: "Clínica",
    });
    const ticketed = await made(`/api/studies/${studyId}/download-ticket`, {}, as);
    const exported = await made("/api/users/export-ticket", {}, as);
    const lastOf = ({ url }: { url: string }) => url.split("/").at(-1) ?? "";
    Object.assign(tokens, {
      session: as.token,
      program: (await made("/api/tokens", { name: "Programa", scopes: ["api", "dicomweb:read"] }, as)).token,
      delivery: delivery.token,
      viewer: viewer.token,
      visit: visit.token,
      download: lastOf(ticketed),
      export: lastOf(exported),
    });
    for (const token of Object.values(tokens)) expect(token?.length).toBeGreaterThan(20);
  });

  const concreteOf = (path: string) =>
    path
      .replace("/dicomweb/studies/:study", `/dicomweb/studies/${studyUID("1")}`)
      .replace(/:series(?=\/|$)/, seriesUID)
      .replace(":instance", instanceUID)
      .replace(":frames", "1")
      .replace(/:path.*/, TagHex.PixelData)
      .replace(":study", studyId)
      .replace(/:id|:userId|:upload/, unknownId);

  test("one that an address takes opens no route as a session", async () => {
    const guarded = Object.entries(matrix).filter(([, { visitor }]) => visitor === 401);
    expect(guarded.length).toBeGreaterThan(100);
    for (const [route] of guarded.filter(([one]) => !one.includes(":token")))
      for (const kind of ["viewer", "visit", "download", "export"]) {
        const [method = "", path = ""] = route.split(" ");
        const as = { token: tokens[kind] } as Person;
        const { status } = await t.call(method, concreteOf(path), {
          as,
          ...(method !== "GET" && { json: {} }),
        });
        expect([route, kind, status]).toEqual([route, kind, 401]);
      }
  });

  test.each([
    ["/dicomweb/t/:token/studies", ["viewer", "visit"]],
    [`/dicomweb/t/:token/studies/${studyUID("1")}/series`, ["viewer", "visit"]],
    [`/dicomweb/t/:token/studies/${studyUID("1")}/rendered`, ["viewer", "visit"]],
    ["/api/visits/:token", ["visit"]],
    [`/api/visits/:token/studies/:study/thumbnail`, ["visit"]],
    ["/api/downloads/:token", ["download"]],
    ["/api/exports/:token", ["export"]],
  ])("%s takes its own alone", async (path, own) => {
    const opened: string[] = [];
    for (const [kind, token] of Object.entries(tokens)) {
      const answer = await t.call("GET", path.replace(":token", token).replace(":study", studyId));
      if (answer.status !== 401) opened.push(kind);
      await answer.body?.cancel();
    }
    expect(opened).toEqual(own);
  });
});

for (const [route, expected] of Object.entries(matrix)) {
  describe(route, () => {
    for (const caller of callers) {
      test(`${caller}: ${expected[caller]}`, async () => {
        const [method = "", path = ""] = route.split(" ");
        const isDeletion = route === "DELETE /api/studies/:study" && expected[caller] === 200;
        const concrete = path
          .replace("/dicomweb/studies/:study", `/dicomweb/studies/${studyUID("1")}`)
          .replace(":instance", instanceUID)
          .replace(":frames", "1")
          .replace(":path", TagHex.PixelData)
          .replace(":study", isDeletion ? (spare.pop() ?? "") : studyId)
          .replace(":series", seriesUID)
          .replace(/:id|:userId/, unknownId)
          .replace(":token", "none");
        const json = ["POST", "PATCH"].includes(method) && !/upload|support\//.test(path) ? {} : undefined;
        const as = people[caller];
        expect((await t.call(method, concrete, { as, json })).status).toBe(expected[caller]);
      });
    }
  });
}
