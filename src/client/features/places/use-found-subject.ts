import { useAtom } from "jotai";
import { useEffect } from "react";
import type { Subject } from "./views.ts";

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
