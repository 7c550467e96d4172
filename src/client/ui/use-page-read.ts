import { type FailedQuery, useFailure } from "./use-failure.ts";

/** A page of a list as it is shown. */
export interface PageRead<Data> {
  data: Data | undefined;
  error: Error | undefined;
  /** Whether `data` are those of the page or search before, while the asked one is read. */
  isReading: boolean;
}

/** What a list shows of the page that is asked for: of one that failed once, nothing but the error until it is there. */
export function usePageRead<Data>(query: FailedQuery & { data: Data | undefined }): PageRead<Data> {
  const error = useFailure(query);
  const data = query.isPlaceholderData && error ? undefined : query.data;
  return { data, error, isReading: query.isPlaceholderData && data !== undefined };
}
