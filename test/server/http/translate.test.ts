import { expect, test } from "bun:test";
import { translate } from "../../../src/server/http/translate.ts";

test.each(["\\u003cb/\\u003e", "C:\\x41na\\", "\\\\u0041", "{name} '{0}' <b/> {0, plural, other {#}}"])(
  "mails, papers and failures show a name as it is written, also %s",
  (name) => {
    const text = translate("en-US", { id: "tokens.renewNamed", message: "" }, { name });
    expect(text).toBe(`Renew the token ${name}`);
  },
);
