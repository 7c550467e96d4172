import { useEffect, useEffectEvent, useRef } from "react";

/** Marks an entry of the browser's history as a step within the place of the entry below it, and names what is open there. */
const MARK = "inner";

/** The browser leaves the step soon, because what was open there is closed already. */
let isLeaving = false;
/** Work that waits until the step is left. */
const waiting: (() => void)[] = [];

/** What is open in this entry of the history. */
function openedInStep(): string | undefined {
  const state: unknown = window.history.state;
  if (isLeaving || typeof state !== "object" || state === null || !(MARK in state)) return undefined;
  return typeof state[MARK] === "string" ? state[MARK] : undefined;
}

/** Leaves the place, with the step within it. */
export function goBackFromPlace(): void {
  if (openedInStep() !== undefined) window.history.go(-2);
  else window.history.back();
}

/** Does work that may write to the history, once the browser has left the step of what was closed. */
export function onceStepIsLeft(then: () => void): void {
  if (isLeaving) waiting.push(then);
  else then();
}

/**
 * Makes what opens within a place a step of the browser's history: Back closes it, and Forward opens it again. However much is open,
 * it is one step: Back closes what is on top, and what is below becomes the step.
 * @param opened names what is open on top
 * @param onChange told what Back or Forward asks for: what to open, or to close what is on top
 */
export function useInnerStep<Name extends string>(
  opened: Name | undefined,
  onChange: (opened: Name | undefined) => void,
): void {
  const follow = useEffectEvent(() => {
    const asked = openedInStep() as Name | undefined;
    if (isLeaving && opened !== undefined) enterStep(opened);
    else if (asked !== opened) onChange(asked);
  });
  const last = useRef<Name>(undefined);
  useEffect(() => {
    if (opened !== undefined && !isLeaving) enterStep(opened);
    if (opened === undefined && last.current !== undefined) leaveStep();
    last.current = opened;
  }, [opened]);
  useEffect(() => {
    // A page that was loaded again stands where it stood.
    follow();
    const listen = () => follow();
    window.addEventListener("popstate", listen);
    return () => {
      window.removeEventListener("popstate", listen);
      leaveStep();
    };
  }, []);
}

/** Within a step, what is on top now takes the name of it. */
function enterStep(opened: string): void {
  const state = { ...window.history.state, [MARK]: opened };
  if (openedInStep() === undefined) window.history.pushState(state, "");
  else window.history.replaceState(state, "");
}

function leaveStep(): void {
  if (openedInStep() === undefined) return;
  isLeaving = true;
  const arrive = () => {
    isLeaving = false;
    for (const work of waiting.splice(0)) work();
  };
  window.addEventListener("popstate", arrive, { once: true });
  window.history.back();
}
