import { createBacenPix } from "../../../src/server/pix/bacen/bacen-pix.ts";
import { describePix } from "../../contract/pix.suite.ts";
import { startPsp } from "../../support/psp/psp.ts";

for (const sendsBrCode of [true, false]) {
  describePix(sendsBrCode ? "bacen" : "bacen, a PSP that tells where the charge is but no code", async () => {
    const psp = await startPsp();
    psp.bank.manners.sendsBrCode = sendsBrCode;
    const pix = await createBacenPix(psp.config, psp.clock);
    return {
      pix,
      key: psp.config.key,
      pay: async (txid) => psp.pay(txid)[0]?.endToEndId ?? "",
      async [Symbol.asyncDispose]() {
        pix.close();
        await psp[Symbol.asyncDispose]();
      },
    };
  });
}
