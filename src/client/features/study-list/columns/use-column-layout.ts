import { useState } from "react";
import { localStore } from "../../../runtime/browser-storage.ts";
import { type ColumnLayout, parseColumnLayout } from "./column-layout.ts";

const KEY = "study-columns";

/** The order and the widths of the list's columns, kept in this browser. */
export function useColumnLayout() {
  const [layout, setLayout] = useState(() => parseColumnLayout(localStore.readJson(KEY)));
  const changeLayout = (next: ColumnLayout, isKept = true) => {
    setLayout(next);
    if (isKept) localStore.write(KEY, JSON.stringify(next));
  };
  return [layout, changeLayout] as const;
}
