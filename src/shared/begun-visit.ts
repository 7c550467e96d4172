/** The opening of a link that its page begins before the client's modules are there. */
export interface BegunVisit {
  link: string;
  /** What the server knows this tab by. */
  attempt: string;
  /** The answer of `openVisitCall`. */
  answer: Promise<Response>;
}

/** Where the page and the client find what the other left. */
export const visitPlaces = {
  /** The property of the page's window that holds the {@link BegunVisit}. */
  begun: "begunVisit",
  /** Keys of the tab's storage, each followed by the link: the token of its visit, and the attempt without an answer yet. */
  token: "visit ",
  attempt: "visit attempt ",
} as const;
