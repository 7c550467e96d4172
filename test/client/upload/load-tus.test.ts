import { expect, test } from "bun:test";
import { loadTus } from "../../../src/client/features/upload/send/load-tus.ts";

test("an upload that begins without a connection waits for one, also if the code that sends it is not here yet", async () => {
  const lost = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
  await expect(loadTus(lost)).rejects.toMatchObject({ name: "ApiError", status: 0, code: "network" });
  expect(await loadTus()).toHaveProperty("Upload");
});
