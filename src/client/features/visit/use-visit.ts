import { useEffect, useState } from "react";
import { passcodeProblemSchema, type Visit } from "../../../shared/api/links.ts";
import { ApiError } from "../../calls/api.ts";
import { sessionStore } from "../../runtime/browser-storage.ts";
import { useFragmentChange } from "../../ui/hooks/use-fragment-change.ts";
import { dropKeptLink } from "../session/kept-link.ts";
import { visitApi } from "./visit-api.ts";

export type VisitState =
  | { step: "opening" }
  | { step: "passcode"; owner: string; triesLeft: number; isWrong: boolean; isBusy: boolean }
  /** The link does not open, for whatever reason. */
  | { step: "closed" }
  | { step: "failed"; message: string }
  | { step: "open"; visit: Visit };

/**
 * Opens the link of this page with the secret of its address. The visit's token is kept for this tab alone, so that a reload is not
 * another opening; a browser that keeps nothing opens the link again.
 */
export function useVisit(link: string) {
  const [state, setState] = useState<VisitState>({ step: "opening" });
  useEffect(() => {
    let isCurrent = true;
    void beginVisit(link).then((begun) => {
      if (isCurrent) setState(begun);
    });
    return () => {
      isCurrent = false;
    };
  }, [link]);

  const retry = () => {
    setState({ step: "opening" });
    void goOn(link).then(setState);
  };
  useFragmentChange(() => {
    if (state.step === "closed" || state.step === "failed") retry();
  });

  return {
    state,
    retry,
    enter: (passcode: string) => {
      setState((now) => (now.step === "passcode" ? { ...now, isBusy: true } : now));
      void openLink(link, passcode).then(setState);
    },
    /** The link was ended while it was looked at. */
    close: () => setState({ step: "closed" }),
  };
}

/** The openings under way, because React begins a page twice in development. */
const begun = new Map<string, Promise<VisitState>>();

/** Opens the link of the page's address at once, while the page's language is still on its way. */
export function beginVisitOfPage(): void {
  const [, link] = /^\/v\/([^/]+)$/.exec(window.location.pathname) ?? [];
  if (!link) return;
  // Whoever left to sign in is back, also on a page that the browser kept as it was.
  dropKeptLink();
  window.addEventListener("pageshow", ({ persisted }) => persisted && dropKeptLink());
  void beginVisit(link);
}

function beginVisit(link: string): Promise<VisitState> {
  const found = begun.get(link) ?? goOn(link);
  begun.set(link, found);
  return found;
}

/** Goes on with this tab's visit, if there is one that is not over; else opens the link. */
async function goOn(link: string): Promise<VisitState> {
  const token = sessionStore.read(keyOf(link));
  if (token === undefined) return await openLink(link);
  try {
    return { step: "open", visit: await visitApi.read(token) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) return { step: "failed", message: error.message };
    sessionStore.write(keyOf(link), undefined);
    return await openLink(link);
  }
}

async function openLink(link: string, passcode?: string): Promise<VisitState> {
  const secret = secretOfPage();
  try {
    const attempt = attemptFor(link);
    const visit = await visitApi.open({ link, secret, attempt, ...(passcode !== undefined && { passcode }) });
    sessionStore.write(keyOf(link), visit.token);
    attempts.delete(link);
    sessionStore.write(attemptKeyOf(link), undefined);
    return { step: "open", visit };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const state = stateOf(error, passcode !== undefined);
    // Another address was pasted meanwhile.
    const isPastedOver = state.step !== "passcode" && secret !== secretOfPage();
    return isPastedOver ? await openLink(link, passcode) : state;
  }
}

function secretOfPage(): string {
  return window.location.hash.slice(1);
}

function stateOf(error: ApiError, isWrong: boolean): VisitState {
  if (error.status === 404) return { step: "closed" };
  const asked = passcodeProblemSchema.safeParse(error.problem);
  if (error.code !== "link.passcode" || !asked.success) return { step: "failed", message: error.message };
  return { step: "passcode", ...asked.data, isWrong, isBusy: false };
}

/** The attempts without an answer yet, for a browser that keeps nothing. */
const attempts = new Map<string, string>();

/** What the server knows this tab by, if it opens the link again because the answer was lost: that is not another opening. */
function attemptFor(link: string): string {
  const attempt = attempts.get(link) ?? sessionStore.read(attemptKeyOf(link)) ?? newAttempt();
  attempts.set(link, attempt);
  sessionStore.write(attemptKeyOf(link), attempt);
  return attempt;
}

/** 192 random bits. */
function newAttempt(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function attemptKeyOf(link: string): string {
  return `visit attempt ${link}`;
}

function keyOf(link: string): string {
  return `visit ${link}`;
}
