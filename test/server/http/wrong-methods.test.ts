import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const UUID = "01890000-0000-7000-8000-000000000000";

test.each([
  ["PUT", "/api/studies", "GET, HEAD"],
  ["PATCH", "/api/health", "GET, HEAD"],
  ["GET", "/api/auth/login", "POST"],
  ["HEAD", "/api/auth/login", "POST"],
  ["OPTIONS", `/api/studies/${UUID}`, "DELETE, GET, HEAD, PATCH"],
  ["DELETE", "/dicomweb/studies", "GET, HEAD, OPTIONS, POST"],
  ["POST", "/dicomweb/t/abc/studies/1.2/metadata", "GET, HEAD, OPTIONS"],
  ["DELETE", "/his", "GET, HEAD"],
  ["PROPFIND", "/ver", "GET, HEAD, POST"],
])("%s %s is refused with the methods that are allowed: %s", async (method, path, allow) => {
  const answer = await t.call(method, path);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  if (method !== "HEAD")
    expect(await answer.json()).toMatchObject({ code: "method.not_allowed", status: 405 });
});

test("every route says so of itself", async () => {
  const paths = new Set(t.app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path));
  for (const path of paths) if (path.includes("*")) paths.delete(path);
  // Without METRICS_TOKEN there is no such address.
  paths.delete("/metrics");
  expect(paths.size).toBeGreaterThan(100);
  for (const path of paths) {
    const concrete = path.replace(/:[A-Za-z]+(\{.*?\})?/g, UUID);
    const answer = await t.call("PROPFIND", concrete);
    expect([path, answer.status]).toEqual([path, 405]);
    const allow = answer.headers.get("allow")?.split(", ") ?? [];
    const methods = t.app.routes.filter((route) => route.path === path && route.method !== "ALL");
    expect(allow).toEqual(expect.arrayContaining(methods.map(({ method }) => method)));
  }
});

test("FHIR says it as an OperationOutcome", async () => {
  const answer = await t.call("POST", "/fhir/metadata");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(answer.headers.get("content-type")).toStartWith("application/fhir+json");
  expect(await answer.json()).toMatchObject({ resourceType: "OperationOutcome" });
});

test.each([
  ["PUT", "/api/nothing"],
  ["GET", "/api/nothing"],
  ["POST", "/nowhere"],
  ["GET", "/dicomweb/nothing"],
  ["PUT", "/viewer/nothing.js"],
  ["PUT", "/fhir/Nothing"],
  ["GET", "/assets/nothing.js"],
  ["HEAD", "/assets/nothing.js"],
  ["POST", "/metrics"],
])("%s %s stays unknown, without Allow", async (method, path) => {
  const answer = await t.call(method, path);
  expect([answer.status, answer.headers.get("allow")]).toEqual([404, null]);
});
