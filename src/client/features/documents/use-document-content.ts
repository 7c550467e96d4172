import { useQuery } from "@tanstack/react-query";
import { activeLocale } from "../../i18n.ts";
import { SourceCutOff, SourceDamaged, SourceMissing, SourceUnreadable } from "../../visor/core/source.ts";
import type { DocumentProps } from "../../visor/view/visor-props.ts";

/** After an outage; what broke off may be large, and is read again when the person says so. */
const READ_AGAIN_MS = 15_000;
const TOLD_APART = [SourceCutOff, SourceDamaged, SourceMissing, SourceUnreadable];

/** A document as it is read: a PDF, or the page of a structured report as text. It is read once for all that show it. */
export function useDocumentContent({ document, read }: Pick<DocumentProps, "document" | "read">) {
  return useQuery({
    queryKey: ["document pages", document.key],
    queryFn: async ({ signal }) => {
      const content = await read({ language: activeLocale(), signal });
      return content.type.startsWith("text/html") ? await content.text() : content;
    },
    gcTime: 0,
    refetchInterval: ({ state }) => (isLost(state.error) ? READ_AGAIN_MS : false),
  });
}

/** Whether the server was not reached or not ready. */
function isLost(error: Error | null): boolean {
  return error instanceof TypeError && !TOLD_APART.some((kind) => error instanceof kind);
}
