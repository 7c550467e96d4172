import { type FailedQuery, useFailure } from "./use-failure.ts";

/** A page of a list as it is shown. */
export interface PageRead<Data> {
  data: Data | undefined;
  error: Error | undefined;
  /** Whether `data` are those of the page or search before, while the asked one is read. */
  isReading: boolean;
}

/**
 * What a list shows of the page that is asked for: of one that failed once, nothing but the error until it is there.
 * @param isEmpty whether a page has no rows: one of another search says nothing about the page that is asked for
 */
export function usePageRead<Data>(
  query: FailedQuery & { data: Data | undefined },
  isEmpty: (data: Data) => boolean = () => false,
): PageRead<Data> {
  const error = useFailure(query);
  const { data, isPlaceholderData } = query;
  if (!isPlaceholderData) return { data, error, isReading: false };
  const before = error || data === undefined || isEmpty(data) ? undefined : data;
  return { data: before, error, isReading: before !== undefined };
}
