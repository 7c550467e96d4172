import { flushSync } from "react-dom";
import { onceStepIsLeft } from "./use-inner-step.ts";

/** Closes what is open in a step, and then does work that may write to the history: not before the browser has left the step. */
export function closeInnerStep(close: () => void, then: () => void): void {
  // The browser is told to leave the step once it is drawn closed.
  flushSync(close);
  onceStepIsLeft(then);
}
