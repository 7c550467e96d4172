import { expect, test } from "bun:test";
import { waitFor, withDom } from "../support/client/dom.ts";
import { installDom, removeDom } from "../support/client/dom-globals.ts";

withDom();
const { createRoot } = await import("react-dom/client");

test("what React has to do when a file's DOM is gone waits for the next one", async () => {
  const place = document.createElement("div");
  const root = createRoot(place);
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  try {
    root.render(<b>drawn</b>);
    removeDom();
    await Bun.sleep(100);
    expect(place.textContent).toBe("");
    installDom();
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await waitFor(() => expect(place.textContent).toBe("drawn"));
    root.unmount();
  } finally {
    installDom();
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  }
});
