import { useSetAtom } from "jotai";
import { useLayoutEffect } from "react";
import { useLocation } from "wouter";
import { arriveAtom } from "../places/views.ts";

/** Shows the place that the browser's history is at. The frame calls it, once. */
export function usePlaceOfHistory(): void {
  const [path] = useLocation();
  const arrive = useSetAtom(arriveAtom);
  useLayoutEffect(() => arrive(path), [path, arrive]);
}
