import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Access, accessOf } from "../../../src/server/http/guard.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** Routes that answer without a session by design: pages and files, and DICOMweb behind a token in its path. */
const openByDesign =
  /^(\/(assets\/:name|manifest\.webmanifest|sw\.js|api\/docs|api\/conformance|favicon\.ico|apple-touch-icon\.png|imagestorage\.png|reset-password\/:token|stop-email-change\/:token|invitation\/:token|[vr]\/:id|ver|verificar|ajuda|his|his\/subscription)?|\*|\/\*|\/viewer\/\*|\/dicomweb\/t\/:token\/.+)$/;

function declaredRoutes(): { method: string; path: string; access: Access }[] {
  return t.app.routes.flatMap(({ method, path, handler }) => {
    const access = accessOf(handler);
    return access === undefined ? [] : [{ method, path, access }];
  });
}

test("every route declares who may call it, or is open by design", () => {
  const declared = new Set(declaredRoutes().map(({ method, path }) => `${method} ${path}`));
  const undeclared = t.app.routes
    .filter(({ method, path }) => method !== "ALL" && !openByDesign.test(path))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !declared.has(route));
  expect(undeclared).toEqual([]);
});

test("every route that needs a session answers 401 without one, whatever the body", async () => {
  const guarded = declaredRoutes().filter(({ access }) => access !== "public");
  expect(guarded.length).toBeGreaterThan(10);
  for (const { method, path } of guarded) {
    const concrete = path.replace(/:[A-Za-z]+(\{.*\})?/g, "01890000-0000-7000-8000-000000000000");
    const answer = await t.call(method, concrete, method === "GET" ? {} : { body: "not json" });
    expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 401`);
  }
});

test("an unknown API path is a problem document, in the caller's language", async () => {
  const answer = await t.call("GET", "/api/nothing", { headers: { "accept-language": "pt-BR,pt;q=0.9" } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(await answer.json()).toMatchObject({ code: "not_found", status: 404, message: "Não encontrado." });
});

test("every answer carries the security headers and a request id", async () => {
  for (const path of ["/api/health", "/api/nothing", "/api/studies"]) {
    const { headers } = await t.call("GET", path);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("a JSON body that is missing or of another type is refused before its values are checked", async () => {
  const plain = await t.call("POST", "/api/auth/login", {
    body: "{}",
    headers: { "content-type": "text/plain" },
  });
  expect(plain.status).toBe(415);
  const broken = await t.call("POST", "/api/auth/login", {
    body: "{",
    headers: { "content-type": "application/json" },
  });
  expect(broken.status).toBe(400);
});

test("a JSON body beyond its bound is refused", async () => {
  const answer = await t.call("POST", "/api/auth/login", {
    json: { email: "x".repeat(400_000), password: "y" },
  });
  expect(answer.status).toBe(413);
});
