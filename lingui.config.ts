import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

// Every message has an id of its own in the code; the English text beside it is the source.
export default defineConfig({
  sourceLocale: "en-US",
  locales: ["en-US", "pt-BR"],
  catalogs: [{ path: "<rootDir>/locales/{locale}/messages", include: ["src"] }],
  format: formatter({ lineNumbers: false }),
  orderBy: "messageId",
  compileNamespace: "ts",
});
