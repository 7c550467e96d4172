import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, problemOf, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
});
afterAll(() => t[Symbol.asyncDispose]());

test.each([[[]], [["", ""]], [{}], [0], [null], [""]])(
  "a field that is %p instead of a text is named once among the violations",
  async (wrong) => {
    const json = { name: wrong, email: wrong, cpfcnpj: wrong, password: wrong };
    const { violations = [] } = await problemOf(await t.call("POST", "/api/auth/register", { json }));
    expect(violations.map(({ path, code }) => [path, code])).toEqual([
      ["name", "validation.nameMin"],
      ["email", "validation.invalidEmail"],
      ["cpfcnpj", "validation.cpfCnpjLength"],
      ["password", "validation.passwordMin"],
    ]);
  },
);
