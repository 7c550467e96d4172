import { expect, test } from "bun:test";
import { join } from "node:path";
import { receiveForm } from "../../../src/server/documents/receive-form.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { bodyTooLarge } from "../../../src/server/http/http.errors.ts";
import { createSenderSlots } from "../../../src/server/http/sender-slots.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const MIB = 1024 * 1024;
const BOUNDARY = "limite";
const EMPTY_FILE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="other"; filename=""\r\n\r\n`;
const END = `--${BOUNDARY}--\r\n`;

test.each([
  ["before the first field", ""],
  ["in a file without a name, which is left out", EMPTY_FILE],
  ["behind the last field", END],
])("a form without a length is not read on for ever %s", async (_, begin) => {
  await using folder = createTempFolder();
  using slot = await createSenderSlots({ perSender: 1, perProcess: 1 }).take("somebody");
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = sentBytes === 0 ? Buffer.from(begin || "\r\n") : Buffer.alloc(64 * 1024);
      sentBytes += piece.length;
      controller.enqueue(piece);
      if (sentBytes > 40 * MIB) controller.close();
    },
  });
  const request = new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
  });
  const node = { bootId: "boot", stagedPath: (name: string) => join(folder.path, name) };
  const rules = { fileField: "file", maxFileBytes: MIB, tooLarge: bodyTooLarge };
  const failure = await receiveForm({ node }, request, slot, rules).catch((error: unknown) => error);
  expect(failure instanceof AppError && failure.kind.code).toBe("body.too_large");
  expect(sentBytes).toBeLessThan(4 * MIB);
});
