const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text without the characters that reorder what stands beside it (embeddings, overrides and isolates of UAX #9): a name must not turn
 * the sentence that it is shown in around. Chats put them around copied names, unseen. Marks of direction stay.
 */
export function withoutBidiControls(text: string): string {
  return text.replace(BIDI_CONTROLS, "");
}
