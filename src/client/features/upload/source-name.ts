import { useLingui } from "@lingui/react/macro";
import { PACKED_FOLDER_NAME } from "./pick/upload-rules.ts";
import type { PickedSource } from "./upload-state.ts";

/** What a source is called on the page. Nobody knows a packed folder by the name of its ZIP, which is all that is known after a reload. */
export function useSourceName({ kind, name }: Pick<PickedSource, "kind" | "name">): string {
  const { t } = useLingui();
  if (kind === "zip" || name !== PACKED_FOLDER_NAME) return name;
  return t({ id: "upload.folderOfExams", message: "Folder of exams" });
}
