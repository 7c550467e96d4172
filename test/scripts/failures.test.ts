import { describe, expect, test } from "bun:test";
import { createFailureReader, type Failure, filesToRepeat } from "../../scripts/test/failures.ts";

const ERROR = `3 | test("ends", () => expect(1).toBe(2));
error: expect(received).toBe(expected)

      at <anonymous> (/exameteca/test/server/links.test.ts:3:58)`;

/** Of something that a test of another file waits for. */
const FOREIGN_ERROR = `error: the database does not answer

      at giveUp (/exameteca/src/server/db/patience.ts:3:58)`;

const PRINTED = `bun test v1.4.5 2x PARALLEL

test/e2e/upload.test.ts:
(pass) an upload > is kept [10.32ms]

test/server/links.test.ts:
(fail) a link > ends [30.42ms]
(pass) a link > opens [0.03ms]

test/e2e/upload.test.ts:
${ERROR}
(skip) an upload > by Caddy
${FOREIGN_ERROR}
(fail) an upload > goes on [100.00ms]
  ^ this test timed out after 100ms.

2 tests failed:
(fail) a link > ends [30.42ms]
(fail) an upload > goes on [100.00ms]

 2 pass
 2 fail
`;

describe("failures", () => {
  test("are read with their file, once each, and with their errors, however the text is cut", () => {
    for (const size of [1, 7, PRINTED.length]) {
      const reader = createFailureReader();
      for (let at = 0; at < PRINTED.length; at += size) reader.read(PRINTED.slice(at, at + size));
      expect(reader.failures).toEqual([
        { file: "test/server/links.test.ts", name: "a link > ends [30.42ms]", isLate: false },
        { file: "test/e2e/upload.test.ts", name: "an upload > goes on [100.00ms]", isLate: true },
      ]);
      expect(reader.errorsOf("test/server/links.test.ts")).toBe(ERROR);
      expect(reader.errorsOf("test/e2e/upload.test.ts")).toBe(FOREIGN_ERROR);
    }
  });

  test("are kept within bounds", () => {
    const reader = createFailureReader();
    const printed = `${"x".repeat(2000)}\n`.repeat(100);
    for (let failure = 0; failure < 300; failure++) {
      reader.read(`${printed}  at (a.test.ts:1:1)\n(fail) a [1ms]\n`);
    }
    expect(reader.failures.length).toBe(20);
    expect(reader.errorsOf("a.test.ts").length).toBeLessThan(200 * 60 * 501);
  });
});

describe("a second try", () => {
  const of = (...files: string[]): Failure[] => files.map((file) => ({ file, name: "", isLate: false }));
  const late = (...files: string[]) => of(...files).map((failure) => ({ ...failure, isLate: true }));
  const upload = "test/e2e/upload.test.ts";
  const zip = "test/shared/zip.test.ts";

  test("is for a few tests of a server or in a browser, and for files in which a test ran out of time", () => {
    expect(filesToRepeat(of(upload, upload), 2)).toEqual([upload]);
    const links = "test/server/links.test.ts";
    expect(filesToRepeat(of(links), 1)).toEqual([links]);
    expect(filesToRepeat(of(upload, links), 2)).toEqual([upload, links]);
    expect(filesToRepeat([...of(upload, zip), ...late(zip)], 3)).toEqual([upload, zip]);
    expect(filesToRepeat([], 0)).toEqual([]);
  });

  test("is for nothing where anything else failed, or more did", () => {
    expect(filesToRepeat(of(upload, zip), 2)).toEqual([]);
    expect(filesToRepeat(of(upload), 2)).toEqual([]);
    expect(filesToRepeat([...late(upload), ...of(zip)], 2)).toEqual([]);
    const many = Array.from({ length: 5 }, (_, number) => `test/e2e/${number}.test.ts`);
    expect(filesToRepeat(late(...many), 5)).toEqual([]);
  });
});
