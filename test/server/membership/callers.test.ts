import { expect, test } from "bun:test";
import { createCallers } from "../../../src/server/features/membership/callers.ts";
import type { Session } from "../../../src/server/http/session.ts";
import { DELIVERY_TOKEN_PREFIX } from "../../../src/shared/api/deliveries.ts";

test("a delivery is a sender of its own, so that it takes no place of the account", async () => {
  const session = { userId: "account", delivery: { id: "delivery", from: "Hospital" } } as Session;
  const nobody = {} as Parameters<typeof createCallers>[0];
  const callers = createCallers(nobody, async (token) => (token.endsWith("known") ? session : undefined));
  const senderOf = (token: string) => callers.senderOf(`Bearer ${DELIVERY_TOKEN_PREFIX}${token}`);
  expect(await senderOf("known")).toBeUndefined();
  await callers.find(`${DELIVERY_TOKEN_PREFIX}known`);
  await callers.find(`${DELIVERY_TOKEN_PREFIX}ended`);
  expect([await senderOf("known"), await senderOf("ended")]).toEqual(["delivery", undefined]);
});
