import "./dom-globals.ts";
import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { installDom, removeDom } from "./dom-globals.ts";

/** Longer than a machine stands still that does other things. */
const PATIENCE_MS = 60_000;
/** How often it is looked for the DOM of the next file. */
const NO_DOM_MS = 20;

// Bun runs CommonJS packages before any module of ours, when there is no `document` yet: so these come later.
const testingLibrary = await withPatientTurns(() => import("@testing-library/react/pure"));
const { default: userEvent } = await import("@testing-library/user-event");
// These decide when they are loaded whether there is a document; later files load them without one.
await import("radix-ui");
await import("@tanstack/react-query");
await import("wouter/use-browser-location");
await import("../../../src/client/preferences.ts");

const { act, cleanup, fireEvent, render, screen, waitFor, within } = testingLibrary;

// Waits end as soon as the condition holds.
testingLibrary.configure({ asyncUtilTimeout: PATIENCE_MS });

export { act, cleanup, fireEvent, render, screen, userEvent, waitFor, within };

/**
 * Loads what keeps `setImmediate` for itself, as React's scheduler does. Its turns wait while there is no DOM: code that a view loads may
 * arrive after the last test of a file, and React then looks for `window`.
 */
async function withPatientTurns<Module>(load: () => Promise<Module>): Promise<Module> {
  const { setImmediate } = globalThis;
  const patient = (turn: () => void) => {
    const take = () => (typeof window === "undefined" ? void setTimeout(take, NO_DOM_MS).unref() : turn());
    return setImmediate(take);
  };
  globalThis.setImmediate = Object.assign(patient, setImmediate);
  try {
    return await load();
  } finally {
    globalThis.setImmediate = setImmediate;
  }
}

/**
 * Waits until nothing is found any more. An expectation that an element is null would print the element and all that React knows of
 * it at each attempt that fails, which takes seconds.
 */
export function untilGone(find: () => Element | null): Promise<void> {
  return waitFor(() => {
    if (find()) throw new Error(`it is still there: ${find}`);
  });
}

/** Resolves when calls that were made are answered and drawn; with a fake clock, its own `settled` does so. */
export async function drawn(): Promise<void> {
  await act(async () => {
    for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

/**
 * Gives the tests of one file a DOM, and takes it away after them: files that follow in the same process see
 * Bun's globals again. Such a file begins with `import ".../support/dom-globals.ts"`, because Radix looks for
 * `document` when it is loaded, takes Testing Library from here, and calls this at its top.
 */
export function withDom(): void {
  installDom();
  beforeAll(installDom);
  beforeEach(() => {
    window.localStorage.clear();
    window.sessionStorage.clear();
  });
  afterEach(() => {
    cleanup();
    document.body.replaceChildren();
  });
  afterAll(async () => {
    // Work that React scheduled still needs the DOM, as does a dialog that returns the focus a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 0));
    removeDom();
  });
}
