import { SCRIPT_LOST, workerAddress } from "./sandboxed-worker.ts";

/** Calls back if a script or style sheet of this page, or a worker's script, fails to load. */
export function onScriptLost(run: () => void): void {
  window.addEventListener(
    "error",
    ({ target }) => {
      // A failed prefetch does no harm. Under our policy every prefetch fails in Firefox.
      const isStyle = target instanceof HTMLLinkElement && target.rel === "stylesheet";
      if (target instanceof HTMLScriptElement || isStyle) run();
    },
    true,
  );
  window.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(workerAddress(script), options);
      this.addEventListener("message", ({ data }) => {
        if (data === SCRIPT_LOST) run();
      });
      // An ErrorEvent is an error inside a loaded script.
      this.addEventListener("error", (event) => {
        if (!(event instanceof ErrorEvent)) run();
      });
    }
  };
}
