import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { keepDelivery } from "../../../src/client/features/delivery/kept-delivery.ts";
import { openPage } from "../../../src/client/features/delivery/open-delivery.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { withDom } from "../../support/client/dom.ts";
import { answerCalls } from "../../support/client/render-view.tsx";

withDom();

/** A request that has expired so many days ago. */
const requestOf = (daysAgo: number) => ({
  label: "Hospital Santa Clara",
  shownName: "Maria A. S.",
  expiresAt: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
});

function keepSome(): void {
  for (const daysAgo of [-20, 6, 8])
    keepDelivery(`${daysAgo}`, { token: `dlv_${daysAgo}`, from: "Hospital", request: requestOf(daysAgo) });
}

test("keeps the delivery that the server still opens, whatever its time", async () => {
  keepSome();
  answerCalls({ "GET /api/uploads": () => Response.json([]) });
  expect(await openPage("8")).toMatchObject({ step: "pick" });
  expect(Object.keys(localStorage).toSorted()).toEqual(["delivery -20", "delivery 6", "delivery 8"]);
});

test("a clinic's browser keeps a delivery only as long as its receipt can be opened there", async () => {
  keepSome();
  localStorage.setItem("delivery of another release", "{}");
  localStorage.setItem("theme", "light");
  answerCalls({ "POST /api/requests/open": () => Response.json(requestOf(-1)) });
  expect(await openPage("new")).toMatchObject({ step: "who" });
  expect(Object.keys(localStorage).toSorted()).toEqual(["delivery -20", "delivery 6", "theme"]);
});
