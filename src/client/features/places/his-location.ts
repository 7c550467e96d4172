import type { BaseLocationHook } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";
import { goBackFromPlace } from "../../ui/hooks/use-inner-step.ts";
import { parsePlace, pathOf } from "./place.ts";

const HIS_PATH = "/his";
/** The one view with an address of its own. */
export const SUBSCRIPTION_PATH = "/his/subscription";

/** What an entry of the browser's history keeps, since the address says no more than /his. */
interface HisState {
  /** The place as a path, written by `pathOf`. */
  place: string;
  /** Path of the entry below, where this one was opened from it: Back leads there. */
  openedFrom?: string;
}

function readState(): Partial<HisState> {
  const state: unknown = window.history.state;
  return typeof state === "object" && state !== null ? state : {};
}

/** Path of the place in the current entry of the history. Only the address says whether it is the subscription. */
export function currentPath(): string {
  const { place } = readState();
  const isSubscription = window.location.pathname === SUBSCRIPTION_PATH;
  if (typeof place === "string" && (parsePlace(place).view === "subscription") === isSubscription)
    return place;
  return pathOf({ view: isSubscription ? "subscription" : "welcome", steps: [] });
}

function write(path: string, options: { replace: boolean; openedFrom?: string }): void {
  const { replace, openedFrom } = options;
  const state: HisState = { place: path, ...(openedFrom !== undefined && { openedFrom }) };
  const address = parsePlace(path).view === "subscription" ? SUBSCRIPTION_PATH : HIS_PATH;
  navigate(address, { replace, state });
}

/** The browser goes back later. Until then writes wait: they would change the entry that is being left. */
let isGoingBack = false;
const waiting: (() => void)[] = [];

/** Waiting writes are done after this time, in case the browser has no entry to go back to. */
const BACK_TIMEOUT_MS = 500;

function afterGoingBack(work: () => void): void {
  if (isGoingBack) waiting.push(work);
  else work();
}

function goBack(): void {
  isGoingBack = true;
  const arrive = () => {
    clearTimeout(timer);
    window.removeEventListener("popstate", arrive);
    isGoingBack = false;
    while (!isGoingBack && waiting.length > 0) waiting.shift()?.();
  };
  const timer = setTimeout(arrive, BACK_TIMEOUT_MS);
  window.addEventListener("popstate", arrive);
  goBackFromPlace();
}

/** Adds an entry to the history. */
export function pushPath(path: string): void {
  afterGoingBack(() => {
    if (path !== currentPath()) write(path, { replace: false, openedFrom: currentPath() });
  });
}

/** Replaces the current entry of the history. */
export function replacePath(path: string): void {
  afterGoingBack(() => {
    const { openedFrom } = readState();
    write(path, { replace: true, ...(openedFrom !== undefined && { openedFrom }) });
  });
}

/** Leaves the current place for the one below it; by Back if it was opened from there, so that Forward opens it again. */
export function leaveTo(path: string): void {
  afterGoingBack(() => {
    if (readState().openedFrom === path) goBack();
    else write(path, { replace: true });
  });
}

/** wouter's location: the path of the place in /his, which lies in the state of the history's entry. */
export const useHisLocation: BaseLocationHook = () => [
  useLocationProperty(currentPath, currentPath),
  (path: string) => pushPath(path),
];
