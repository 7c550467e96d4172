import "../../support/client/dom-globals.ts";
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ApiError, callApi, callJson } from "../../../src/client/calls/api.ts";
import { sendUpload } from "../../../src/client/features/upload/send/send-upload.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { currentToken, restoreSession } from "../../../src/client/session.ts";
import { listStudiesCall } from "../../../src/shared/api/studies.ts";
import { examCountCall } from "../../../src/shared/api/users.ts";
import { withDom } from "../../support/client/dom.ts";
import { answerForms } from "../../support/client/sent-forms.ts";

withDom();
beforeAll(() => activateLocale("pt-BR"));
// The page of a test before may have ended its session.
beforeEach(() => void restoreSession());

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

  test("behind a proxy shows no page and no empty text", async () => {
    const page = "<html><head><title>502 Bad Gateway</title></head></html>";
    answer(new Response(page, { status: 502, headers: { "Content-Type": "text/html" } }));
    expect((await failure()).message).toBe("502: O servidor não responde. Tente de novo em instantes.");
    answer(new Response("", { status: 503 }));
    expect((await failure()).message).toBe("503: O servidor não responde. Tente de novo em instantes.");
  });

  test("at a proxy that takes less says that what was sent is too large", async () => {
    const page = "<html><head><title>413 Request Entity Too Large</title></head></html>";
    answer(new Response(page, { status: 413, headers: { "Content-Type": "text/html" } }));
    expect((await failure()).message).toBe("413: O que foi enviado é grande demais.");
  });

  test.each([
    ["120", 120_000],
    ["999999999", 3_600_000],
    ["Sun, 29 Nov 2026 12:00:00 GMT", undefined],
    ["-1", undefined],
  ])("knows the pause that the server asks for: %s", async (text, retryAfterMs) => {
    answer(new Response("", { status: 503, headers: { "Retry-After": text } }));
    expect(await failure()).toMatchObject({ retryAfterMs });
  });

  test("is told as unreachable if what came is not the server's JSON", async () => {
    answer(new Response("<html>Wi-Fi</html>", { headers: { "Content-Type": "text/html" } }));
    const error = await callJson(examCountCall, {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "ApiError", status: 0, code: "network" });
  });

  test("is told as unreachable if its answer breaks off", async () => {
    const body = () => new ReadableStream({ pull: (stream) => stream.error(new TypeError("network error")) });
    for (const status of [200, 500]) {
      answer(new Response(body(), { status }));
      const error = await callJson(examCountCall, {}).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: "ApiError", status: 0, code: "network" });
    }
  });

  test("is told in words if its answer does not fit, such as one of another release", async () => {
    for (const misfit of [{ examCount: "many" }, null, [{ id: 5 }]]) {
      answer(Response.json(misfit, { headers: { "X-Request-Id": "r" } }));
      const error = await callJson(examCountCall, {}).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        ...{ name: "ApiError", status: 200, code: "unreadable", requestId: "r" },
        message: "A resposta do servidor não pode ser lida aqui. Tente de novo ou recarregue a página.",
      });
    }
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

  test.each(["old", "renewed"])(
    "to upload an exam ends the session only if its token is in use: %s",
    async (now) => {
      sessionStorage.setItem("health-auth", JSON.stringify({ token: "old" }));
      answerForms({ status: 401 });
      const file = { zip: new Blob(), fileName: "a.zip" };
      const upload = { id: "1", userId: "u", kind: "zip", metadata: {}, ...file } as const;
      const options = { onProgress: () => {}, signal: new AbortController().signal };
      const sending = sendUpload(upload, options);
      sessionStorage.setItem("health-auth", JSON.stringify({ token: now }));
      await expect(sending).rejects.toMatchObject({ status: 401 });
      expect(currentToken()).toBe(now === "old" ? undefined : "renewed");
    },
  );
});
