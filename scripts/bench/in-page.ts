/** Sends a command to a browser by its DevTools protocol. */
export type Send = (method: string, params: object) => Promise<unknown>;

/** Runs a function in the page and nothing else: Playwright's own way costs a slowed-down page 40 ms the first time. */
export type InPage = <Given, Answer>(
  what: (given: Given) => Answer | Promise<Answer>,
  given: Given,
) => Promise<Answer>;

interface Evaluated<Value> {
  result: { value: Value };
  exceptionDetails?: { text: string };
}

export function runningIn(send: Send): InPage {
  return async (what, given) => {
    const expression = `(${what})(${JSON.stringify(given)})`;
    const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails } = answer as Evaluated<Awaited<ReturnType<typeof what>>>;
    if (exceptionDetails) throw new Error(`in the page: ${exceptionDetails.text}`);
    return result.value;
  };
}

/** In the page: resolves once there is such an element that can be seen. */
export async function waitFor(selector: string): Promise<void> {
  const isThere = () =>
    [...document.querySelectorAll<HTMLElement>(selector)].some((one) => one.checkVisibility());
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** In the page: the middle of the first such button once it can be seen and pressed. */
export async function middleOf({ selector, text }: { selector: string; text?: string }) {
  const find = () =>
    [...document.querySelectorAll<HTMLElement>(selector)].find(
      (one) => one.checkVisibility() && (text === undefined || one.textContent?.trim().startsWith(text)),
    );
  let found = find();
  while (!found) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    found = find();
  }
  found.scrollIntoView({ block: "nearest" });
  const { x, y, width, height } = found.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}
