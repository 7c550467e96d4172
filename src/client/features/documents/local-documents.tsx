import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { DocumentPages } from "./document-pages.tsx";
import { DocumentSave } from "./document-save.tsx";

/** Files of this device need no connection, and are read again only when the person says so. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: "always",
    },
  },
});

export const LocalDocumentPages = withClient(DocumentPages);
export const LocalDocumentSave = withClient(DocumentSave);

/** Exams of this device are also seen where the page has no such client: on the entry page, and on a medium. */
function withClient<Props extends object>(View: ComponentType<Props>) {
  return (props: Props) => (
    <QueryClientProvider client={queryClient}>
      <View {...props} />
    </QueryClientProvider>
  );
}
