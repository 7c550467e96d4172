import { useEffect, useEffectEvent, useRef } from "react";

/** Marks an entry of the browser's history as a step within the place of the entry below it. */
const MARK = "isInner";

/** The browser leaves the step soon, because what was open there is closed already. */
let isLeaving = false;

function isInnerStep(): boolean {
  const state: unknown = window.history.state;
  return !isLeaving && typeof state === "object" && state !== null && MARK in state;
}

/** Leaves the place, with the step within it. */
export function goBackFromPlace(): void {
  if (isInnerStep()) window.history.go(-2);
  else window.history.back();
}

/** Makes what opens within a place a step of the browser's history: Back closes it, and Forward opens it again. */
export function useInnerStep(isOpen: boolean, onChange: (isOpen: boolean) => void): void {
  const follow = useEffectEvent(() => {
    if (isLeaving && isOpen) enterStep();
    else if (isInnerStep() !== isOpen) onChange(!isOpen);
  });
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen && !isInnerStep() && !isLeaving) enterStep();
    if (!isOpen && wasOpen.current) leaveStep();
    wasOpen.current = isOpen;
  }, [isOpen]);
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

function enterStep(): void {
  window.history.pushState({ ...window.history.state, [MARK]: true }, "");
}

function leaveStep(): void {
  if (!isInnerStep()) return;
  isLeaving = true;
  const arrive = () => {
    isLeaving = false;
  };
  window.addEventListener("popstate", arrive, { once: true });
  window.history.back();
}
