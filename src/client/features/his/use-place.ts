import { useAtom, useSetAtom } from "jotai";
import { useEffect, useLayoutEffect } from "react";
import { useLocation } from "wouter";
import { arriveAtom, type Subject } from "./views.ts";

/** Shows the place that the browser's history is at. Once, in the frame. */
export function usePlaceOfHistory(): void {
  const [path] = useLocation();
  const arrive = useSetAtom(arriveAtom);
  useLayoutEffect(() => arrive(path), [path, arrive]);
}

/**
 * After a reload finds a subject again among `values`, which are undefined while they are being loaded; closes
 * what is about something that is not there any more.
 */
export function useFoundSubject<Value extends { id: string }>(
  { missingIdAtom }: Subject<Value>,
  values: readonly Value[] | undefined,
): void {
  const [missingId, bring] = useAtom(missingIdAtom);
  useEffect(() => {
    if (missingId !== undefined && values) bring(values.find(({ id }) => id === missingId) ?? "gone");
  }, [missingId, values, bring]);
}
