import { describe, expect, test } from "bun:test";
import { ConfigError } from "../../../src/server/config.ts";
import { createLocalPix } from "../../../src/server/pix/local/local-pix.ts";
import { describePix } from "../../contract/pix.suite.ts";
import { readBrCode } from "../../support/psp/read-br-code.ts";

const merchant = {
  key: "pix@clinica.example.com",
  merchantName: "Clínica São João",
  merchantCity: "São Paulo",
};

describePix("local", async () => ({
  pix: createLocalPix(merchant),
  key: merchant.key,
  pay: async () => "E12345678202611211200abcdef12345",
  [Symbol.asyncDispose]: async () => {},
}));

describe("local Pix", () => {
  test("an admin confirms payments, since no PSP can", () => {
    expect(createLocalPix(merchant)).toMatchObject({ provider: "local", isConfirmedByHand: true });
  });

  test("the code has names without accents, since not every bank reads them", async () => {
    const pix = createLocalPix(merchant);
    const cob = await pix.createCob({
      ...{ txid: pix.newTxid(), amountCents: 100, expiresInSeconds: 60, description: "" },
    });
    const { merchantName, merchantCity } = readBrCode(cob.brCode ?? "");
    expect([merchantName, merchantCity]).toEqual(["Clinica Sao Joao", "Sao Paulo"]);
  });

  test.each([{ key: "a".repeat(78) }, { merchantName: "診療所" }, { merchantCity: "  " }])(
    "a merchant that no code can carry is refused at the start, not at the first payment: %p",
    (wrong) => {
      expect(() => createLocalPix({ ...merchant, ...wrong })).toThrow(ConfigError);
    },
  );
});
