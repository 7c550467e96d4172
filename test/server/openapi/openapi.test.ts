import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type Context, Hono } from "hono";
import * as z from "zod/mini";
import { describeIn } from "../../../src/server/http/describe.ts";
import type { HttpEnv } from "../../../src/server/http/http-context.ts";
import { type ApiDocument, createApiDocument } from "../../../src/server/openapi/api-document.ts";
import { problemKinds } from "../../../src/server/openapi/problem-kinds.ts";
import type { Call } from "../../../src/shared/api/call.ts";
import { checkAnswers } from "../../support/app/answer-check.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const root = resolve(import.meta.dir, "../../..");
const methods = ["get", "post", "patch", "put", "delete", "options"] as const;

let t: TestApp;
let person: Person;
let document: ApiDocument;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Quem Programa");
  document = (await (await t.call("GET", "/api/openapi.json")).json()) as ApiDocument;
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, operation }] : [];
    }),
  );

/** `GET /api/studies/:study` and `…/:path{.+}` as the document writes them. */
const templated = (path: string) => path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}");

/** Addresses that are for browsers and not part of the API, each with its reason. */
const undocumented: Record<string, string> = {
  "GET /": "page",
  "GET /his": "page",
  "GET /his/subscription": "page",
  "GET /ajuda": "page",
  "GET /ver": "page",
  "POST /ver": "page",
  "GET /verificar": "page",
  "GET /v/{id}": "page of a link",
  "GET /r/{id}": "page of a request for exams",
  "GET /reset-password/{token}": "page that a mailed link opens",
  "GET /stop-email-change/{token}": "page that a mailed link opens",
  "GET /invitation/{token}": "page that a mailed link opens",
  "GET /*": "the page for an unknown address",
  "GET /assets/{name}": "files of the client's build",
  "GET /favicon.ico": "file of the pages",
  "GET /apple-touch-icon.png": "file of the pages",
  "GET /imagestorage.png": "file of the pages",
  "GET /manifest.webmanifest": "file of the pages",
  "GET /sw.js": "file of the pages",
  "GET /viewer/*": "files of the viewer's build",
};

describe("the document", () => {
  test("is valid OpenAPI 3.1 to an independent validator", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("names exactly the routes that the app registers", () => {
    const registered = t.app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${templated(path)}`);
    const described = operations().map(({ name }) => name);
    expect([...new Set(registered)].sort()).toEqual([...described, ...Object.keys(undocumented)].sort());
  });

  test("says for each call what it does, its group, who may call it, and how it fails", () => {
    const rooms = document.tags?.map(({ name }) => name) ?? [];
    for (const { name, operation } of operations()) {
      const { summary = "", tags = [], responses = {} } = operation;
      expect([name, summary.length > 0, rooms.includes(tags[0] ?? "")]).toEqual([name, true, true]);
      expect([name, "default" in responses]).toEqual([name, true]);
      const wantsSession = (operation.security ?? []).some((scheme) => "session" in scheme);
      expect([name, "401" in responses]).toEqual([name, wantsSession || "401" in responses]);
    }
  });

  test("says of each call with a viewer's token how the token fails, and what it does not take along", () => {
    const calls = operations().filter(({ name }) => name.startsWith("GET /dicomweb/t/{token}/"));
    expect(calls.length).toBeGreaterThan(20);
    for (const { name, operation } of calls) {
      const codes = (status: string) =>
        (operation.responses?.[status] as { description?: string } | undefined)?.description ?? "";
      expect([name, codes("401")]).toEqual([name, "`session.required`"]);
      expect([name, codes("403")]).toEqual([name, expect.stringContaining("`subscription.required`")]);
      const isFile = /\}$|\/(bulkdata|pixeldata)$/.test(
        name.replace("/bulkdata/{path}", "/value").replace("/frames/{frames}", "/frame"),
      );
      expect([name, codes("403").includes("`viewer.retrieval_forbidden`")]).toEqual([name, isFile]);
    }
  });

  test("names what searches, pictures and FHIR take in the address, and wants no header where a token is in the path", () => {
    const queryOf = (wanted: string) => {
      const found = operations().find(({ name }) => name === wanted);
      const parameters = found?.operation.parameters ?? [];
      return parameters.flatMap((one) => ("in" in one && one.in === "query" ? one.name : []));
    };
    const searched = ["accept", "limit", "offset", "includefield", "fuzzymatching", "attributes"];
    for (const path of ["/dicomweb/studies", "/dicomweb/instances", "/dicomweb/t/{token}/studies"])
      expect([path, queryOf(`GET ${path}`)]).toEqual([path, searched]);
    expect(queryOf("GET /dicomweb/studies/{study}/rendered")).toEqual([
      "accept",
      "window",
      "viewport",
      "quality",
      "annotation",
      "iccprofile",
    ]);
    expect(queryOf("GET /dicomweb/studies/{study}/thumbnail")).not.toContain("annotation");
    expect(queryOf("GET /fhir/ImagingStudy")).toEqual(
      expect.arrayContaining(["patient", "started", "_count"]),
    );
    for (const { name, operation } of operations())
      if (name.includes("/dicomweb/t/{token}/")) expect([name, operation.security]).toEqual([name, []]);
  });

  test("says that a body of JSON may be of another type or too large, and that DICOMweb may be asked wrongly", () => {
    for (const { name, operation } of operations()) {
      const { requestBody, responses = {} } = operation;
      const content = requestBody && "content" in requestBody ? Object.keys(requestBody.content) : [];
      if (content.includes("application/json"))
        expect([name, "413" in responses, "415" in responses]).toEqual([name, true, true]);
      const { tags = [] } = operation;
      const isAsked = /^GET .*(studies|series|instances|frames\/\{frames\}|rendered|thumbnail)$/.test(name);
      if (isAsked && (tags[0] === "DICOMweb" || (tags[0] === "Viewer" && name.startsWith("GET /dicomweb"))))
        expect([name, "400" in responses]).toEqual([name, true]);
    }
  });

  test("explains every parameter of a path and of a query", () => {
    for (const { name, operation } of operations()) {
      for (const parameter of operation.parameters ?? []) {
        if (!("in" in parameter) || !("description" in parameter)) continue;
        if (parameter.in !== "path" && parameter.in !== "query") continue;
        expect([name, parameter.name, typeof parameter.description]).toEqual([
          name,
          parameter.name,
          "string",
        ]);
      }
    }
  });

  test("lets answers have members that it does not name", () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });

  test("knows every failure that the sources define", () => {
    const folder = join(root, "src/server");
    const defined = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => {
        const kinds = readFileSync(join(folder, path), "utf8").matchAll(
          /: ErrorKind = \{[^}]*?code: "([^"]+)"/g,
        );
        return Array.from(kinds, ([, code = ""]) => code);
      });
    expect(defined.length).toBeGreaterThan(80);
    expect([...new Set(defined)].sort()).toEqual([...problemKinds.keys()].sort());
  });

  test("is made in pieces, so that nobody waits for it", async () => {
    let turns = 0;
    let isMade = false;
    const count = () => {
      turns++;
      if (!isMade) setImmediate(count);
    };
    setImmediate(count);
    await createApiDocument(t.app, { productName: "Exameteca", publicUrl: "http://localhost" });
    isMade = true;
    expect(turns).toBeGreaterThan(5);
  });

  test("is sent compressed to clients that accept it", async () => {
    const answer = await t.call("GET", "/api/openapi.json", { headers: { "accept-encoding": "gzip" } });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    const plain = Bun.gunzipSync(new Uint8Array(await answer.arrayBuffer()));
    expect(JSON.parse(new TextDecoder().decode(plain))).toEqual(document);
  });
});

describe("the calls that the client makes", () => {
  test("are each mounted at their path, with the schemas that the client's types come from", async () => {
    const described = new Set(operations().map(({ name }) => name));
    const folder = join(root, "src/shared/api");
    const calls: Call[] = [];
    for (const file of readdirSync(folder)) {
      const shared = (await import(join(folder, file))) as Record<string, unknown>;
      calls.push(
        ...Object.entries(shared).flatMap(([name, value]) => (name.endsWith("Call") ? [value as Call] : [])),
      );
    }
    expect(calls.length).toBeGreaterThan(60);
    const missing = calls
      .map(({ method, path }) => `${method} ${templated(path)}`)
      .filter((call) => !described.has(call));
    expect(missing).toEqual([]);
    for (const { method, path, query, body, form, bytes = [], answer } of calls) {
      const operation = document.paths[templated(path)]?.[method.toLowerCase() as "get"];
      const { requestBody, parameters = [], responses = {} } = operation ?? {};
      const content = requestBody && "content" in requestBody ? Object.keys(requestBody.content) : [];
      const wanted = [
        ...(body ? ["application/json"] : []),
        ...(form ? ["multipart/form-data"] : []),
        ...bytes,
      ];
      expect([path, content]).toEqual([path, wanted]);
      const inQuery = parameters.some((parameter) => "in" in parameter && parameter.in === "query");
      expect([path, inQuery]).toEqual([path, query !== undefined]);
      const hasJson = Object.entries(responses).some(
        ([status, response]) =>
          status.startsWith("2") && "content" in response && "application/json" in (response.content ?? {}),
      );
      expect([path, hasJson]).toEqual([path, answer !== undefined]);
    }
  });

  test("say what uploads need in their headers, and what bodies DICOMweb stores", () => {
    const named = (path: string, method: "post" | "patch") => {
      const { parameters = [], requestBody } = document.paths[path]?.[method] ?? {};
      const headers = parameters.flatMap((one) =>
        "in" in one && one.in === "header" && one.required ? [one.name] : [],
      );
      return {
        headers,
        types: requestBody && "content" in requestBody ? Object.keys(requestBody.content) : [],
      };
    };
    const chunk = "application/offset+octet-stream";
    expect(named("/api/uploads", "post")).toEqual({
      headers: ["Tus-Resumable", "Upload-Length"],
      types: [chunk],
    });
    expect(named("/api/uploads/{upload}", "patch")).toEqual({
      headers: ["Tus-Resumable", "Upload-Offset"],
      types: [chunk],
    });
    expect(named("/dicomweb/studies", "post").types).toEqual(["multipart/related", "application/dicom"]);
  });

  test("are written only in src/shared/api: the client has no API path", () => {
    const folder = join(root, "src/client");
    const written = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .filter((path) => /["'`]\/(api|generate-token)\b/.test(readFileSync(join(folder, path), "utf8")));
    expect(written).toEqual([]);
  });
});

describe("an undocumented answer fails the test that asked for it", () => {
  const count = { answer: z.object({ count: z.number() }) };
  const ask = async (answer: (c: Context<HttpEnv>) => Response) => {
    const app = new Hono<HttpEnv>();
    app.get("/api/count", describeIn("Operations")(count, { summary: "Count" }), answer);
    return await checkAnswers(app).request("/api/count");
  };

  test("a documented answer passes", async () => {
    expect(await (await ask((c) => c.json({ count: 1 }))).json()).toEqual({ count: 1 });
  });

  test("a member of another type, one too few and one too many", async () => {
    expect(ask((c) => c.json({ count: "1" }))).rejects.toThrow("/count must be number");
    expect(ask((c) => c.json({}))).rejects.toThrow("required property 'count'");
    expect(ask((c) => c.json({ count: 1, sum: 2 }))).rejects.toThrow("additional properties");
  });

  test("another status, media type or failure", async () => {
    expect(ask((c) => c.json({ count: 1 }, 202))).rejects.toThrow("no such status");
    expect(ask((c) => c.text("1", 200, { "content-type": "text/plain" }))).rejects.toThrow(
      "the document has application/json",
    );
    const problem = {
      type: "about:blank",
      title: "",
      status: 404,
      code: "new.code",
      message: "",
      requestId: "",
    };
    const headers = { "content-type": "application/problem+json" };
    expect(ask(() => Response.json(problem, { status: 404, headers }))).rejects.toThrow(
      "unknown code new.code",
    );
  });
});

test("DICOM JSON and files are what the document says", async () => {
  const { studies } = await t.store(person, sampleZip({ study: "1" }));
  const [study] = studies;
  const metadata = await t.call("GET", `/dicomweb/studies/${study?.studyInstanceUID}/metadata`, {
    as: person,
  });
  expect(metadata.headers.get("content-type")).toBe("application/dicom+json");
  for (const dataSet of (await metadata.json()) as Record<string, { vr: string }>[]) {
    for (const [tag, { vr }] of Object.entries(dataSet)) {
      expect(tag).toMatch(/^[0-9A-F]{8}$/);
      expect(vr).toMatch(/^[A-Z]{2}$/);
    }
  }
  const zip = await t.call("GET", `/api/studies/${study?.id}/download`, { as: person });
  expect(zip.headers.get("content-type")).toBe("application/zip");
});

test("the page shows each call, how to get a token, and needs neither script nor another server", async () => {
  const origin = await t.listen();
  const answer = await fetch(`${origin}/api/docs`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  const html = await answer.text();
  expect(answer.status).toBe(200);
  for (const { name } of operations()) {
    const [method = "", path = ""] = name.split(" ");
    expect([name, html.includes(`<code class="method">${method}</code><code>${path}</code>`)]).toEqual([
      name,
      true,
    ]);
  }
  expect(html).toContain("How to get a token");
  expect(html).toContain("<title>API · Exameteca</title>");
  expect(html).toContain(`${origin}/api/auth/login`);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
  for (const [tag] of html.matchAll(/<(script|style)\b[^>]*>/g)) expect(tag).toContain(nonce);
  expect(html).not.toMatch(/ (style|on\w+)="/);
  const foreign = [...html.matchAll(/(?:src|href)="(https?:[^"]+)"/g)].filter(
    ([, url = ""]) => !url.startsWith(origin),
  );
  expect(foreign).toEqual([]);
}, 240_000);
