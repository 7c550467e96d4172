import { useCallback, useEffect, useRef, useState } from "react";
import { currentToken } from "../../session.ts";
import { useHis } from "./his-context.ts";
import { keepInTab, readKeptInTab } from "./kept-in-tab.ts";

type Fields = Record<string, string | boolean | number | readonly string[]>;

/**
 * What is typed in the form of a view, kept in this tab so that a session that ends, a reload, or a look at another view does not lose
 * it. It is no longer kept once the form is sent, which calls `drop`.
 */
export function useKeptForm<Form extends Fields>(name: string, atFirst: Form) {
  const { id } = useHis().user;
  const [first] = useState(() => restored(atFirst, readKeptInTab(id, name)));
  const keep = useCallback((fields: Partial<Form>) => keepInTab(id, name, fields), [id, name]);
  const drop = useCallback(() => keepInTab(id, name, undefined), [id, name]);
  return { first, keep, drop };
}

/** The fields of a dialog's form as state, kept as `useKeptForm` says. They are no longer kept once the dialog is left. */
export function useKeptFields<Form extends Fields>(name: string, atFirst: Form) {
  const { first, keep, drop } = useKeptForm(name, atFirst);
  const [fields, setFields] = useState(first);
  useDropOnceLeft(drop);
  const change = (changed: Partial<Form>) => {
    const next = { ...fields, ...changed };
    setFields(next);
    keep(next);
  };
  return [fields, change] as const;
}

function useDropOnceLeft(drop: () => void): void {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      // A person with a session has left the form. A person whose session ended comes back to it.
      const isLeft = currentToken() !== undefined;
      // React may mount a component twice.
      queueMicrotask(() => {
        if (isLeft && !isShown.current) drop();
      });
    };
  }, [drop]);
}

/** The fields that the form has, where a value of the same kind was kept. */
function restored<Form extends Fields>(atFirst: Form, kept: unknown): Form {
  if (typeof kept !== "object" || kept === null) return atFirst;
  const known = Object.entries(kept).filter(([name, value]) => kindOf(value) === kindOf(atFirst[name]));
  return { ...atFirst, ...Object.fromEntries(known) };
}

function kindOf(value: unknown): string {
  if (!Array.isArray(value)) return typeof value;
  return value.every((item) => typeof item === "string") ? "texts" : "other";
}
