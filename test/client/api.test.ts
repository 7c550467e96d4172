import "../support/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { ApiError, callApi } from "../../src/client/api.ts";
import { currentToken } from "../../src/client/session.ts";
import { listStudiesCall } from "../../src/shared/api/studies.ts";
import { withDom } from "../support/dom.ts";

withDom();

function answer(response: Response) {
  globalThis.fetch = (async () => response) as unknown as typeof fetch;
}

async function failure(): Promise<ApiError> {
  const error = await callApi(listStudiesCall, { query: {} }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error("expected an ApiError");
  return error;
}

describe("a failed call", () => {
  test("that is not a problem document shows its status and body", async () => {
    answer(new Response("Bad gateway", { status: 502 }));
    expect((await failure()).message).toBe("502: Bad gateway");
  });

  test("without a body shows its status text", async () => {
    answer(new Response(null, { status: 503, statusText: "Service Unavailable" }));
    expect((await failure()).message).toBe("503: Service Unavailable");
  });

  test("with a problem document has its message and code", async () => {
    const problem = {
      type: "about:blank",
      title: "t",
      status: 403,
      code: "quota.exams",
      message: "Limite",
      requestId: "r",
    };
    answer(Response.json(problem, { status: 403, headers: { "Content-Type": "application/problem+json" } }));
    expect(await failure()).toMatchObject({
      status: 403,
      code: "quota.exams",
      message: "Limite",
      requestId: "r",
    });
  });

  test("ends the session only with status 401", async () => {
    sessionStorage.setItem("health-auth", JSON.stringify({ token: "tab" }));
    answer(new Response("", { status: 403 }));
    await failure();
    expect(currentToken()).toBe("tab");
    answer(new Response("", { status: 401 }));
    await failure();
    expect(currentToken()).toBeUndefined();
  });

  test("does not end a session whose token was renewed meanwhile", async () => {
    sessionStorage.setItem("health-auth", JSON.stringify({ token: "old" }));
    globalThis.fetch = (async () => {
      sessionStorage.setItem("health-auth", JSON.stringify({ token: "renewed" }));
      return new Response("", { status: 401 });
    }) as unknown as typeof fetch;
    await failure();
    expect(currentToken()).toBe("renewed");
  });
});
