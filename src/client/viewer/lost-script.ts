/** Calls back where a script or a style sheet of this page, or the script of a worker, does not come. */
export function onScriptLost(run: () => void): void {
  window.addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) run();
    },
    true,
  );
  window.Worker = class extends Worker {
    constructor(...worker: ConstructorParameters<typeof Worker>) {
      super(...worker);
      // An error inside a script that came is an ErrorEvent.
      this.addEventListener("error", (event) => {
        if (!(event instanceof ErrorEvent)) run();
      });
    }
  };
}
