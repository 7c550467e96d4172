import { QueryClientProvider } from "@tanstack/react-query";
import { getDefaultStore } from "jotai";
import type { ReactNode } from "react";
import { Router } from "wouter";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import { usePlaceOfHistory } from "../../../src/client/features/frame/use-place-of-history.ts";
import { currentPath, useHisLocation } from "../../../src/client/features/places/his-location.ts";
import { firstPlaceAtom, viewAtom } from "../../../src/client/features/places/views.ts";
import { type His, HisProvider } from "../../../src/client/features/session/his-context.ts";
import { draftAtom } from "../../../src/client/features/upload/draft/draft.ts";
import { clearJobsAtom } from "../../../src/client/features/upload/tray/upload-jobs.ts";
import { beginSession } from "../../../src/client/session.ts";
import type { CurrentUser } from "../../../src/shared/api/users.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { renderClient } from "./render-client.tsx";

export const helena: CurrentUser = {
  id: "01900000-0000-7000-8000-000000000001",
  name: "Helena Duarte",
  email: "helena@exemplo.com.br",
  cpfcnpj: null,
  role: "user",
  isTrial: false,
  isAuthorized: true,
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: null,
  profileImageUrl: null,
  termsAcceptedAt: null,
};

interface RenderViewOptions {
  user?: Partial<CurrentUser>;
  locale?: Locale;
  maxUploadBytes?: number;
  isActive?: boolean;
  pix?: His["pix"] | undefined;
  /** Opens something over the view, or goes to a view with a subject, before it is drawn. */
  open?: (store: ReturnType<typeof getDefaultStore>) => void;
}

/** Draws a view as the frame of /his does, for a person who is signed in. */
export async function renderView(view: ReactNode, options: RenderViewOptions = {}): Promise<void> {
  const { locale, maxUploadBytes = 2 * 1024 ** 3, isActive = true } = options;
  const user = { ...helena, ...options.user };
  const store = getDefaultStore();
  store.set(clearJobsAtom);
  store.set(draftAtom, { type: "reset" });
  window.history.replaceState(null, "", "/his");
  store.set(firstPlaceAtom, currentPath());
  options.open?.(store);
  beginSession({ ...user, token: "t0ken" }, { keepConnected: false });
  const his = { productName: "Exameteca", maxUploadBytes, user, isActive, pix: options.pix };
  await renderClient(
    <QueryClientProvider client={createQueryClient()}>
      <HisProvider value={his}>
        <Router hook={useHisLocation}>
          <PlaceOfHistory />
          {view}
        </Router>
      </HisProvider>
    </QueryClientProvider>,
    locale,
  );
}

function PlaceOfHistory() {
  usePlaceOfHistory();
  return null;
}

export function shownView(): string {
  return getDefaultStore().get(viewAtom);
}

export type Answer = (request: { body: unknown; search: URLSearchParams }) => Response | Promise<Response>;

/** Answers calls by method and path; records them. An unexpected call fails the test. */
export function answerCalls(answers: Record<string, Answer>): string[] {
  const calls: string[] = [];
  globalThis.fetch = (async (path: string, init?: RequestInit) => {
    const url = new URL(path, "http://localhost");
    const call = `${init?.method ?? "GET"} ${url.pathname}`;
    calls.push(call);
    const answer = answers[call];
    if (!answer) throw new Error(`nobody expects ${call}`);
    const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
    return answer({ body, search: url.searchParams });
  }) as unknown as typeof fetch;
  return calls;
}

export function problem(status: number, code: string, message: string, more: object = {}): Response {
  const body = { type: "about:blank", title: code, status, code, message, requestId: "r-1", ...more };
  return Response.json(body, { status, headers: { "Content-Type": "application/problem+json" } });
}
